"""``graphldp collect community show``: what a community publishes."""

from __future__ import annotations

from typing import Any

from graphldp.cli.collect.community.row import row
from graphldp.cli.collect.store import CommunityArgument, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community show cats"


def show(community: CommunityArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Show what a community publishes.

    Publish the roster's digest where your users trust you: their clients show the same digits, and whoever sees others
    was given another roster.
    """
    from graphldp.collector.settings import load_settings
    from graphldp.collector.storage.second_round import shown_progress

    store = open_database(database)
    found = store.community(community)
    state: dict[str, Any] = {"epoch": found.epoch, "open": found.closed_at is None}
    if found.mechanism == "hub-counts":
        reported = store.progress().get(found.key, (0, 0, 0))[1]
        counts = shown_progress(store.second_round.progress(found), reported, load_settings().min_reports)
        asked, answered = counts or (None, None)
        state |= {"hubs from": found.hub_from, "asked": found.asked_at is not None, "question": found.question_digest}
        state["busy from"] = found.busy_from
        state |= {"hubs": asked, "hubs that answered": answered}
    console.show_one(row(found, as_json) | state, as_json=as_json)
