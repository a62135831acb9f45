"""``graphldp audit``: is the promise kept? Exit code 1 where it is not."""

from __future__ import annotations

import typer

from graphldp.cli.audit import client, mechanism, wire

app = typer.Typer(
    help="Check that a mechanism, the client and the wire keep what they promise.",
    epilog="Example: graphldp audit client && graphldp audit mechanism -m rr -e 1",
    no_args_is_help=True,
)
app.command(epilog=mechanism.EPILOG)(mechanism.mechanism)
app.command(epilog=client.EPILOG)(client.client)
app.command(epilog=wire.EPILOG)(wire.wire)
