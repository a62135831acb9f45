"""``graphldp collect operator add``: a new operator and her key."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.operator.options import ROLE_HELP, ExpiresOption, NameArgument
from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect operator add alice --role viewer --expires 90"


def add(
    name: NameArgument,
    role: Annotated[str, typer.Option(help=f"What she may do: {ROLE_HELP}")] = "operator",
    expires: ExpiresOption = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Add an operator and print her key, once. The collector keeps its hash only.

    The key logs her in to the dashboard. A machine sends it to the API as a bearer token.
    """
    from graphldp.collector.actions import operators
    from graphldp.collector.roles import Role

    meant = Role.named(role)
    key = operators.add(open_database(database, make=True), actor(), name, meant, expires)
    console.show_one({"operator": name, "role": role, "key": key}, as_json=as_json)
