"""``graphldp collect operator remove``: an operator may no longer log in."""

from __future__ import annotations

from graphldp.cli.collect.operator.options import NameArgument
from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect operator remove alice"


def remove(name: NameArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Remove an operator. Her sessions end at once."""
    from graphldp.collector.actions import operators

    operators.remove(open_database(database), actor(), name)
    console.show_one({"operator": name, "removed": True}, as_json=as_json)
