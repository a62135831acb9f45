"""``graphldp datasets``: what there is, what it looks like, and how to get it."""

from __future__ import annotations

import typer

from graphldp.cli.datasets import fetch, listing, show

app = typer.Typer(
    help="Find, describe and fetch datasets of the TU collection.",
    epilog="Example: graphldp datasets fetch IMDB-BINARY && graphldp datasets show IMDB-BINARY",
    no_args_is_help=True,
)
app.command("list", epilog=listing.EPILOG)(listing.list_)
app.command(epilog=show.EPILOG)(show.show)
app.command(epilog=fetch.EPILOG)(fetch.fetch)
