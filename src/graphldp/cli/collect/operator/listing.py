"""``graphldp collect operator list``: who may log in."""

from __future__ import annotations

from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect operator list"


def list_(database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """List the operators, what they may do, when their keys expire, and who may sign in by a provider."""
    from graphldp.collector.actions import operators

    staff = operators.staff(open_database(database), actor())
    rows = [
        {
            "operator": each.name,
            "role": each.role.title,
            "expires": each.expires_at.isoformat(timespec="minutes") if each.expires_at else None,
        }
        for each in staff.holders
    ]
    rows += [
        {"operator": f"oidc {kind} {value}", "role": role.title, "expires": None} for kind, value, role in staff.rules
    ]
    console.show(rows, as_json=as_json)
