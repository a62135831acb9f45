"""``graphldp collect operator list``: who may log in."""

from __future__ import annotations

from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect operator list"


def list_(database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """List the operators."""
    console.show([{"operator": name} for name in open_database(database).operators.names()], as_json=as_json)
