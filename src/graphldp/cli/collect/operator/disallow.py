"""``graphldp collect operator disallow``: somebody may no longer sign in."""

from __future__ import annotations

from graphldp.cli.collect.operator.options import KindArgument, ValueArgument
from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect operator disallow email ann@example.org"


def disallow(
    kind: KindArgument, value: ValueArgument, database: DatabaseOption = None, as_json: console.JsonOption = False
) -> None:
    """Take a subject, an e-mail address or a group from the list. Their sessions end with their next request."""
    from graphldp.collector.actions import operators

    operators.disallow(open_database(database), actor(), value, kind)
    console.show_one({kind: value, "removed": True}, as_json=as_json)
