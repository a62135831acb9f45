"""``graphldp collect delete-report``: a user's reports, deleted for good."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.slots import in_ranges
from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console


def delete_report(
    community: CommunityArgument,
    user: Annotated[int, typer.Argument(help="The user's slot.", metavar="USER")],
    epoch: Annotated[
        int | None,
        typer.Option(help="Delete only the report of this epoch; by default of all epochs.", metavar="EPOCH"),
    ] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Delete a user's reports for good, from the database and its log. Her slots stay taken.

    Backups made before the deletion keep them, and so do models that were trained on them and files that were exported.
    """
    from graphldp.collector.actions.collected import delete_report as delete

    deleted = delete(open_database(database), actor(), community, user, epoch)
    shown = deleted if as_json else in_ranges(deleted) or "deleted before"
    console.show_one({"community": community, "user": user, "deleted epochs": shown}, as_json=as_json)
