"""``graphldp collect community renew``: the next epoch."""

from __future__ import annotations

from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community renew cats"


def renew(community: CommunityArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Close a community's epoch and open the next: the same people and tokens, one more report each.

    Clients draw a new report only when their user asks for it, since it costs its ε again.
    """
    from graphldp.collector.actions import communities as actions

    made = actions.renew(open_database(database), actor(), community)
    console.show_one({"community": community, "epoch": made.epoch, "open": True}, as_json=as_json)
