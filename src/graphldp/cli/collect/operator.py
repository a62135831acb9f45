"""``graphldp collect operator``: who may log in, and do what."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

app = typer.Typer(help="Decide who may use the dashboard and the API, and what they may do.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="The operator's name.", metavar="NAME")]
ExpiresOption = Annotated[
    float | None, typer.Option("--expires", help="Days after which the key stops working.", metavar="DAYS")
]
OidcOption = Annotated[
    str | None,
    typer.Option(
        "--oidc", metavar="KIND", help="NAME signs in by the provider: it is its subject, email or group. No key."
    ),
]
ROLE_HELP = "viewer (looks), operator (runs collections) or administrator (also gives out roles)."


@app.command(
    epilog="""Examples:
graphldp collect operator add alice --role viewer --expires 90
graphldp collect operator add ann@example.org --oidc email --role viewer
"""
)
def add(
    name: NameArgument,
    role: Annotated[str, typer.Option(metavar="ROLE", help=ROLE_HELP)] = "operator",
    oidc: OidcOption = None,
    expires: ExpiresOption = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Add an operator and print her key, once. The collector keeps its hash only.

    The key logs her in to the dashboard. A machine sends it to the API as a bearer token.

    With --oidc she signs in by the provider of the setting 'oidc_issuer' instead. A subject is the provider's own name
    for an account. It is safer than an address, since it never passes to somebody else. An address counts only if the
    provider says that it has verified it. Who is on the list in several ways has the highest of these roles.
    """
    from graphldp.collector.actions import administration as operators
    from graphldp.collector.roles import Role

    meant = Role.named(role)
    if oidc is not None:
        if expires is not None:
            raise bad_parameter("expires", "graphldp collect operator add", "left out with --oidc", expires)
        operators.allow(open_database(database, make=True), actor(), name, oidc, meant)
        console.show_one({oidc: name, "role": role}, as_json=as_json)
        return
    key = operators.add(open_database(database, make=True), actor(), name, meant, expires)
    console.show_one({"operator": name, "role": role, "key": key}, as_json=as_json)


@app.command(
    epilog="""Examples:
graphldp collect operator change alice --new-key --expires 90
graphldp collect operator change alice --role administrator
"""
)
def change(
    name: NameArgument,
    role: Annotated[str | None, typer.Option(metavar="ROLE", help=f"From her next request on: {ROLE_HELP}")] = None,
    new_key: Annotated[
        bool, typer.Option("--new-key", help="Print a new key, once. The old one and her sessions end at once.")
    ] = False,
    expires: ExpiresOption = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Give an operator another role, or a new key."""
    from graphldp.collector.actions import administration as operators
    from graphldp.collector.roles import Role

    if role is None and not new_key:
        raise bad_parameter("role", "graphldp collect operator change", "given, or --new-key", None)
    if expires is not None and not new_key:
        raise bad_parameter("expires", "graphldp collect operator change", "given together with --new-key", expires)
    meant, found = None if role is None else Role.named(role), {"operator": name}
    store = open_database(database)
    if role is not None and meant is not None:
        operators.set_role(store, actor(), name, meant)
        found |= {"role": role}
    if new_key:
        found |= {"key": operators.rotate(store, actor(), name, expires)}
    console.show_one(found, as_json=as_json)


@app.command(epilog="Example: graphldp collect operator remove alice")
def remove(
    name: NameArgument, oidc: OidcOption = None, database: DatabaseOption = None, as_json: console.JsonOption = False
) -> None:
    """Remove an operator. Her sessions end at once; of who signs in by the provider, with the next request."""
    from graphldp.collector.actions import administration as operators

    if oidc is None:
        operators.remove(open_database(database), actor(), name)
    else:
        operators.disallow(open_database(database), actor(), name, oidc)
    console.show_one({oidc or "operator": name, "removed": True}, as_json=as_json)


@app.command("list", epilog="Example: graphldp collect operator list")
def list_(database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """List the operators, what they may do, when their keys expire, and who may sign in by a provider."""
    from graphldp.collector.actions import administration as operators

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
