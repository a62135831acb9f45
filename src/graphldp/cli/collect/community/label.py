"""``graphldp collect community label``: the class of a community."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community label cats discussion"


def label_(
    community: CommunityArgument,
    label: Annotated[
        str | None,
        typer.Argument(help="Its class: a name, which may be new, or a number. Leave it out to remove the label."),
    ] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Say which class a community has, so that it can be trained on."""
    from graphldp.collector.actions import communities as actions

    store = open_database(database)
    found = actions.label(store, actor(), community, label).label
    named = None if found is None else store.classes.names().get(found)
    console.show_one({"community": community, "label": found, "class": named}, as_json=as_json)
