"""``graphldp collect operator role``: what an operator may do."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.operator.options import ROLE_HELP, NameArgument
from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect operator role alice administrator"


def role_(
    name: NameArgument,
    role: Annotated[str, typer.Argument(help=f"What she may do: {ROLE_HELP}", metavar="ROLE")],
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Let an operator do more or less, from her next request on. Her key stays."""
    from graphldp.collector.actions import operators
    from graphldp.collector.roles import Role

    operators.set_role(open_database(database), actor(), name, Role.named(role))
    console.show_one({"operator": name, "role": role}, as_json=as_json)
