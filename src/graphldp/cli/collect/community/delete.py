"""``graphldp collect community delete``: a community and all that belongs to it, deleted for good."""

from __future__ import annotations

from dataclasses import asdict

from graphldp.cli.collect.store import CommunityArgument, YesOption, actor, ask, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community delete cats"
_NOT_REACHED = "Backups made before still hold it, and so do exported files and models that were trained on it."


def delete(
    community: CommunityArgument,
    yes: YesOption = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Delete a community for good, in all epochs, from the database and its log.

    Its roster, invitations, reports, answers, labels and flags go, and its id is not given again. Backups made before
    keep them, and so do models that were trained on them and files that were exported.
    """
    from graphldp.collector.actions import communities as actions

    store = open_database(database)
    going = asdict(store.removals.belongings(community))
    if going["epochs"]:
        named = ", ".join(f"{count:,} {what}" for what, count in going.items() if count)
        ask(f"Delete '{community}' for good ({named})? {_NOT_REACHED}", yes)
    gone = asdict(actions.delete(store, actor(), community))
    console.show_one({"community": community, "deleted": True} | gone, as_json=as_json)
    if not as_json:
        console.err.print(_NOT_REACHED, highlight=False, soft_wrap=True)
