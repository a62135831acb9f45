"""``graphldp collect held``: who has reported."""

from __future__ import annotations

from graphldp.cli.collect.slots import in_ranges
from graphldp.cli.collect.store import CommunityArgument, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console


def held(
    community: CommunityArgument,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List which slots have a report, epoch by epoch.

    After a restore, ask the other users to run 'graphldp client report' once more. Their clients find out that a report
    is missing, and send the same bytes again.
    """
    store = open_database(database)
    found = store.community(community)
    users, asks = found.n, found.mechanism == "hub-counts"
    show = list if as_json else in_ranges
    rows = [
        {
            "epoch": each.epoch,
            "users": users,
            "held": show(each.held),
            "deleted": show(each.deleted),
            "invited, not held": show(sorted({*each.invited} - {*each.held, *each.deleted})),
        }
        | ({"asked": show(each.asked), "answered": show(each.answered)} if asks else {})
        for each in store.holdings.of(community)
    ]
    console.show(rows, as_json=as_json)
