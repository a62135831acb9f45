"""``graphldp collect community show``: what a community publishes, and how far it is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from graphldp.cli.collect.community.row import row
from graphldp.cli.collect.store import CommunityArgument, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community show cats"


def show(community: CommunityArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Show what a community publishes, how many have reported, and its label. No user is named.

    Publish the roster's digest in a place that your users trust. Their clients show the same digits. Whoever sees other
    digits was given another roster.
    """
    from graphldp.collector.communities.arrivals import arrivals
    from graphldp.collector.communities.overview import overview
    from graphldp.collector.settings import load_settings

    store = open_database(database)
    seen, classes = overview(store, community, load_settings().min_reports), store.classes.names()
    found = seen.community
    state: dict[str, Any] = {"members see": found.name} if found.title else {}
    state |= {"epoch": found.epoch, "open": found.closed_at is None}
    now = seen.epochs[-1]
    state |= {"invited": now.invited, "reported": now.reported, "deleted": now.deleted}
    if found.mechanism == "hub-counts":
        asked, answered = seen.hubs or (None, None)
        state |= {"hubs from": found.hub_from, "asked": found.asked_at is not None, "question": found.question_digest}
        state["busy from"] = found.busy_from
        state |= {"hubs": asked, "hubs that answered": answered}
    if as_json:
        state["epochs"] = [asdict(each) for each in seen.epochs]
        state["arrivals"] = {str(day): count for day, count in arrivals(store, found).items()}
    elif len(seen.epochs) > 1:
        before = [f"{each.reported:,} in epoch {each.epoch}" for each in seen.epochs[:-1]]
        state["reported before"] = ", ".join(before)
    label = seen.prediction
    state |= {"predicted": label and label.label, "predicted class": classes.get(label.label) if label else None}
    state |= {"confidence": label and label.confidence}
    state |= {"model": label and label.model, "flagged": seen.flagged}
    console.show_one(row(found, classes, as_json=as_json) | state, as_json=as_json)
