"""What the commands of ``graphldp collect`` share: the database, which communities are meant, and files of names."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.names import DEFENSE, given_defense
from graphldp.errors import FormatError, ParameterError, bad_parameter

if TYPE_CHECKING:
    from graphldp.collector.roles import Actor
    from graphldp.collector.storage.store import Store

BackupArgument = Annotated[Path, typer.Argument(help="The backup.", metavar="FILE")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DefenseOption = Annotated[str | None, DEFENSE]


def recommended_defense(text: str, command: str) -> tuple[str, float | None]:
    """A defense's name, and how much accuracy it may cost, as in ``recommended allowance=0.05``."""
    name, given = given_defense(text, command, "allowance")
    if "allowance" in given and name != "recommended":
        raise bad_parameter("defense", command, "recommended, where there is an allowance", text)
    return name, given.get("allowance")


def communities(ctx: typer.Context, incomplete: str) -> list[str]:
    """Ids of communities, for a shell to complete."""
    try:
        here = open_database(ctx.params.get("database")).communities()
        return [each.id for each in here if each.id.startswith(incomplete)]
    except Exception:  # a shell that completes shows no errors
        return []


CommunityArgument = Annotated[
    str, typer.Argument(help="The community's id.", metavar="COMMUNITY", autocompletion=communities)
]
CommunitiesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--community", "-c", metavar="ID", autocompletion=communities, help="May be repeated; all by default."
    ),
]


def open_database(database: str | None, *, make: bool = False, stays: bool = False) -> Store:
    """The collector's store, where ``graphldp serve`` would look for it.

    Args:
        database: its URL, or None for the setting's.
        make: make a database that is not there yet. Commands that need something in it do not: a mistyped URL would
            look like a collector that holds nothing.
        stays: whether it is used for long, as by a job: no restore takes place meanwhile.

    Raises:
        StoreError: where there is none, and none is to be made.
    """
    from graphldp.collector.storage.database import check_made
    from graphldp.collector.storage.store import Store

    url = database_url(database)
    if not make:
        check_made(url)
    return Store.open(url, stays=stays)


def database_url(database: str | None) -> str:
    """The URL of the store's database."""
    from graphldp.collector.settings import load_settings

    return load_settings({"database": database}).database


def actor() -> Actor:
    """The actor: whoever runs the command. Who can write to the database may do everything."""
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


def read_text(path: Path) -> str:
    """A file's text.

    Raises:
        FormatError: for one that is not in UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{path}: not text in UTF-8.") from None
