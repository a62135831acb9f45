"""``graphldp collect sealing rotate``: a new key."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

EPILOG = "Example: graphldp collect sealing rotate --overlap-days 30"
_MOST_DAYS = 3650


def rotate(
    overlap_days: Annotated[
        float, typer.Option(help="How many days the old key still opens reports that are on their way.", metavar="DAYS")
    ] = 30.0,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Publish a new key, the first one or the next. A running server takes it up at once.

    Clients seal to the key that they saw when they joined. After the overlap that key is deleted, so nobody
    can open what a relay may have kept; clients are then told to take the new one. After a leak, use 0 days.
    """
    from datetime import timedelta

    from graphldp.collector.actions.keeping import rotate_sealing_key

    if not 0 <= overlap_days <= _MOST_DAYS:
        must_be = f"a number of days from 0 to {_MOST_DAYS}"
        raise bad_parameter("overlap_days", "graphldp collect sealing rotate", must_be, overlap_days)
    made = rotate_sealing_key(open_database(database), actor(), timedelta(days=overlap_days))
    console.show_one({"key": made.id.hex(), "published": made.public.hex()}, as_json=as_json)
