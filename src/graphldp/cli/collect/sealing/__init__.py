"""``graphldp collect sealing``: the keys to which clients seal what relays carry."""

from __future__ import annotations

import typer

from graphldp.cli.collect.sealing import listing, rotate

app = typer.Typer(help="Make and change the key by which clients seal reports that relays carry.", no_args_is_help=True)
app.command(epilog=rotate.EPILOG)(rotate.rotate)
app.command("list", epilog=listing.EPILOG)(listing.list_)
