"""``graphldp collect class name``: what a class is called."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect class name 1 discussion"


def name_(
    number: Annotated[int, typer.Argument(help="The number of the class.", metavar="CLASS")],
    name: Annotated[str, typer.Argument(help="Its new name.", metavar="NAME")],
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Rename a class, on every page and in every output. Its number stays."""
    from graphldp.collector.actions.communities import name_class

    name_class(open_database(database), actor(), name, number)
    console.show_one({"class": number, "name": name}, as_json=as_json)
