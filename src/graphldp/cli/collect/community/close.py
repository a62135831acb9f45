"""``graphldp collect community close``: take no more reports."""

from __future__ import annotations

from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community close cats"


def close(community: CommunityArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Close a community for good: it takes no more reports."""
    from graphldp.collector.actions import communities as actions

    actions.close(open_database(database), actor(), community)
    console.show_one({"community": community, "open": False}, as_json=as_json)
