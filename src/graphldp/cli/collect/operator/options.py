"""The argument that the commands of ``graphldp collect operator`` share."""

from __future__ import annotations

from typing import Annotated

import typer

NameArgument = Annotated[str, typer.Argument(help="The operator's name.", metavar="NAME")]
