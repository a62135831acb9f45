"""What the commands of ``graphldp collect`` share: the database, and which communities are meant."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.threats import DEFENSE_HELP
from graphldp.errors import ParameterError

if TYPE_CHECKING:
    from graphldp.collector.roles import Actor
    from graphldp.collector.storage.store import Store

CommunityArgument = Annotated[str, typer.Argument(help="The community's id.", metavar="COMMUNITY")]
CommunitiesOption = Annotated[
    list[str] | None, typer.Option("--community", "-c", help="A community; may be repeated. All by default.")
]
BackupArgument = Annotated[Path, typer.Argument(help="The backup.", metavar="FILE")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DefenseOption = Annotated[
    str | None,
    typer.Option(help=f"Leave out the users that a test flags, and show them on the dashboard. {DEFENSE_HELP}"),
]


def open_database(database: str | None, *, make: bool = False) -> Store:
    """The collector's store, where ``graphldp serve`` would look for it.

    Args:
        database: its URL, or None for the setting's.
        make: make a database that is not there yet. Commands that need something in it do not: a mistyped URL would
            look like a collector that holds nothing.

    Raises:
        StoreError: where there is none, and none is to be made.
    """
    from graphldp.collector.http.server import open_store
    from graphldp.collector.storage.database import check_made

    url = database_url(database)
    if not make:
        check_made(url)
    return open_store(url)


def database_url(database: str | None) -> str:
    """Where the store is."""
    from graphldp.collector.settings import load_settings

    return load_settings({"database": database}).database


def actor() -> Actor:
    """Who acts: whoever runs the command. Who can write to the database may do everything."""
    from graphldp.collector.roles import Actor, Role

    return Actor(getpass.getuser(), Role.ADMINISTRATOR, "command line")


def ask(question: str, yes: bool) -> None:
    """Go on only where the operator agrees, or has said --yes.

    Raises:
        ParameterError: where she does not, or cannot be asked.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise ParameterError(f"{question} Nobody can be asked here: give --yes to go on. Nothing was changed.")
    if not typer.confirm(question, err=True):
        raise ParameterError("Nothing was changed.")
