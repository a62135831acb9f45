"""``graphldp collect operator rotate``: a new key for an operator."""

from __future__ import annotations

from graphldp.cli.collect.operator.options import ExpiresOption, NameArgument
from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect operator rotate alice --expires 90"


def rotate(
    name: NameArgument,
    expires: ExpiresOption = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Print a new key for an operator, once. The old one stops working at once, and her sessions end."""
    from graphldp.collector.actions import operators

    key = operators.rotate(open_database(database), actor(), name, expires)
    console.show_one({"operator": name, "key": key}, as_json=as_json)
