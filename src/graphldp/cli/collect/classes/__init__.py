"""``graphldp collect class``: what labels are called."""

from __future__ import annotations

import typer

from graphldp.cli.collect.classes import listing, name

app = typer.Typer(help="List and name the classes.", no_args_is_help=True)
app.command("list", epilog=listing.EPILOG)(listing.list_)
app.command("name", epilog=name.EPILOG)(name.name_)
