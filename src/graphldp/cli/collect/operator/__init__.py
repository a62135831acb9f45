"""``graphldp collect operator``: who may look at the dashboard."""

from __future__ import annotations

import typer

from graphldp.cli.collect.operator import add, listing, remove

app = typer.Typer(help="Say who may log in to the dashboard.", no_args_is_help=True)
app.command(epilog=add.EPILOG)(add.add)
app.command(epilog=remove.EPILOG)(remove.remove)
app.command("list", epilog=listing.EPILOG)(listing.list_)
