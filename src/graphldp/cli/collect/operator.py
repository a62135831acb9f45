"""``graphldp collect operator``: who may look at the dashboard."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

app = typer.Typer(help="Say who may log in to the dashboard.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(help="The operator's name.", metavar="NAME")]


@app.command(epilog="Example: graphldp collect operator add alice")
def add(name: NameArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Add an operator and print her key, once. The collector keeps its hash only."""
    key = open_database(database, make=True).operators.add(name)
    console.show_one({"operator": name, "key": key}, as_json=as_json)


@app.command(epilog="Example: graphldp collect operator remove alice")
def remove(name: NameArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Remove an operator. Her sessions end at once."""
    open_database(database).operators.remove(name)
    console.show_one({"operator": name, "removed": True}, as_json=as_json)


@app.command("list", epilog="Example: graphldp collect operator list")
def list_(database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """List the operators."""
    console.show([{"operator": name} for name in open_database(database).operators.names()], as_json=as_json)
