"""``graphldp collect operator add``: a new operator and her key."""

from __future__ import annotations

from graphldp.cli.collect.operator.options import NameArgument
from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect operator add alice"


def add(name: NameArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Add an operator and print her key, once. The collector keeps its hash only."""
    key = open_database(database, make=True).operators.add(name)
    console.show_one({"operator": name, "key": key}, as_json=as_json)
