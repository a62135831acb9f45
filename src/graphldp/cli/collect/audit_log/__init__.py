"""``graphldp collect audit-log``: what operators did."""

from __future__ import annotations

import typer

from graphldp.cli.collect.audit_log import show, verify

app = typer.Typer(help="Read the log of what operators did, and check that it is whole.", no_args_is_help=True)
app.command(epilog=show.EPILOG)(show.show)
app.command(epilog=verify.EPILOG)(verify.verify)
