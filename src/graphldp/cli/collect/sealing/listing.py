"""``graphldp collect sealing list``: which keys open something."""

from __future__ import annotations

from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect sealing list"


def list_(database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Show the keys that open sealed reports: the one that is published, and those before it."""
    rows = [
        {
            "key": each.id.hex(),
            "made": each.made_at.isoformat(timespec="minutes"),
            "opens until": "–" if each.retires_at is None else each.retires_at.isoformat(timespec="minutes"),
        }
        for each in open_database(database).sealing_keys.listed()
    ]
    console.show(rows, as_json=as_json)
