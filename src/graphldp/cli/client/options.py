"""Options that the commands of ``graphldp client`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HomeOption = Annotated[
    Path | None,
    typer.Option(envvar="GRAPHLDP_CLIENT_HOME", help="Where the client keeps its files.", metavar="FOLDER"),
]
Community = Annotated[str, typer.Argument(help="The community's id, as 'graphldp client status' shows it.")]
RelayOption = Annotated[
    str | None,
    typer.Option(
        help="The address of a relay that carries it, sealed. It sees neither report nor token.", metavar="URL"
    ),
]
ServerOption = Annotated[
    str | None,
    typer.Option(help="The collector's address, if several of yours have a community of this id.", metavar="URL"),
]
