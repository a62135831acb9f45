"""``graphldp collect community ask``: the second question to the hubs."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunityArgument, actor, ask, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community ask cats"


def ask_(
    community: CommunityArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Go on without being asked.")] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Ask the hubs of a community by hub-counts their second question, once and for good.

    The question is how many of a hub's friends are busy. Busy users are those with a noisy degree of 6 or more in the
    reports that are here now. Later reports are taken too, but do not change the question. A hub answers when its user
    runs 'graphldp client answer'.
    """
    from graphldp.collector.actions import communities as actions
    from graphldp.collector.settings import load_settings

    store = open_database(database)
    found = store.community(community)
    reported = store.tally.of([found.key]).get(found.key, (0, 0, 0))[1]
    ask(f"{reported:,} of {found.n:,} users of '{community}' have reported. Freeze who is busy, for good?", yes)
    least = load_settings().min_reports
    question = actions.ask(store, actor(), community, seen=found.version, min_reports=least)
    console.show_one({"community": community, "asked": True, "question": question.digest}, as_json=as_json)
