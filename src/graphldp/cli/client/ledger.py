"""``graphldp client ledger``: what was spent, from one client to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.client.options import HomeOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp client ledger --add ledger-from-browser.json > ledger.json"


def ledger(
    add: Annotated[
        Path | None,
        typer.Option(help="Take in the ledger of another of your clients, such as your browser's.", metavar="FILE"),
    ] = None,
    home: HomeOption = None,
) -> None:
    """Print your ledger as JSON, for another of your clients to take in. Nothing is sent.

    A client counts what it drew itself. If you use several, give each the ledger of the others, so that your cap holds
    over all of them. What one of them drew, the others never draw again. If their caps differ, the smallest holds.
    """
    from graphldp.client.protocol import Client

    console.show_json(Client(home).ledger(add).to_json())
