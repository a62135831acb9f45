"""The argument and the options that the commands of ``graphldp collect operator`` share."""

from __future__ import annotations

from typing import Annotated

import typer

NameArgument = Annotated[str, typer.Argument(help="The operator's name.", metavar="NAME")]
KindArgument = Annotated[str, typer.Argument(help="subject, email or group.", metavar="KIND")]
ValueArgument = Annotated[str, typer.Argument(help="Which one, as the provider names it.", metavar="VALUE")]
ExpiresOption = Annotated[
    float | None, typer.Option("--expires", help="Days after which the key stops working.", metavar="DAYS")
]
ROLE_HELP = "viewer (looks), operator (runs collections) or administrator (also gives out roles)."
