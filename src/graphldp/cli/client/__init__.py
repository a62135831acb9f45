"""``graphldp client``: join, report once, answer once, see what was spent, withdraw, forget; look at a page."""

from __future__ import annotations

import typer

from graphldp.cli.client import membership, reporting

app = typer.Typer(
    help="Report your friends to a community, noisily and once. Your list stays on this device.",
    epilog="Example: graphldp client join invitation.json --accept 1 && "
    "graphldp client report cats --friends following_accounts.csv --dry-run",
    no_args_is_help=True,
)
join, *others = membership.app.registered_commands
app.registered_commands = [join, *reporting.app.registered_commands, *others]  # in the order of use
