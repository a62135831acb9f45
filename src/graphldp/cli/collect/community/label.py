"""``graphldp collect community label``: the class of a community."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community label cats 1"


def label_(
    community: CommunityArgument,
    label: Annotated[int | None, typer.Argument(help="Its class, a whole number; none at all unsays it.")] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Say which class a community has, so that it can be trained on."""
    from graphldp.collector.actions import communities as actions

    actions.label(open_database(database), actor(), community, label)
    console.show_one({"community": community, "label": label}, as_json=as_json)
