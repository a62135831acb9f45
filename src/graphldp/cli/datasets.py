"""``graphldp datasets``: what there is, what it looks like, and how to get it."""

from __future__ import annotations

import typer

app = typer.Typer(help="Find, describe and fetch datasets.", no_args_is_help=True)
