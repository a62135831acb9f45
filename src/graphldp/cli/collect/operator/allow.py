"""``graphldp collect operator allow``: who may sign in by OpenID Connect."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.operator.options import ROLE_HELP, KindArgument, ValueArgument
from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect operator allow email ann@example.org --role viewer"


def allow(
    kind: KindArgument,
    value: ValueArgument,
    role: Annotated[str, typer.Option(help=f"What they may do: {ROLE_HELP}")] = "operator",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Let a subject, an e-mail address or a group sign in by the provider of the setting 'oidc_issuer'.

    A subject is the provider's own name for an account. It is safer than an address, since it never passes to somebody
    else. An address counts only if the provider says that it has verified it. Somebody who is on the list in several
    ways has the highest of these roles.
    """
    from graphldp.collector.actions import operators
    from graphldp.collector.roles import Role

    operators.allow(open_database(database, make=True), actor(), value, kind, Role.named(role))
    console.show_one({kind: value, "role": role}, as_json=as_json)
