"""``graphldp collect community rename``: what people call it."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community rename cats 'The cat lovers'"


def rename(
    community: CommunityArgument,
    name: Annotated[str, typer.Argument(help="Its new name.", metavar="NAME")],
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Rename a community: here and on the dashboard at once, for its members from the next epoch on.

    Its id never changes, since invitations and clients know it by that. Its name is part of what members agreed to when
    they joined, so it stays theirs until 'graphldp collect community renew'. Their clients then show the change and
    ask.
    """
    from graphldp.collector.actions import communities as actions

    renamed = actions.rename(open_database(database), actor(), community, name)
    found = {"community": community, "name": renamed.called, "members see": renamed.name}
    console.show_one(found, as_json=as_json)
