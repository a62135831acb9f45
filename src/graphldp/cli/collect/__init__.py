"""``graphldp collect``: what an operator does. It works on the collector's database, beside a running server."""

from __future__ import annotations

import typer

from graphldp.cli.collect import backup as collect_backup
from graphldp.cli.collect import community as collect_community
from graphldp.cli.collect import invitations as collect_invitations
from graphldp.cli.collect import learning as collect_learning
from graphldp.cli.collect import operator as collect_operator
from graphldp.cli.collect import reports as collect_reports

app = typer.Typer(
    help="Open communities, invite users, and learn from what they reported.",
    epilog="Example: graphldp collect community create cats --roster cats.txt --epsilon 1 && "
    "graphldp collect invite cats --server https://reports.example.org --out invitations",
    no_args_is_help=True,
)
app.add_typer(collect_community.app, name="community")
app.add_typer(collect_operator.app, name="operator")
app.command(epilog="Example: graphldp collect invite cats --server https://reports.example.org --out invitations")(
    collect_invitations.invite
)
app.command(epilog="Example: graphldp collect export reports.npz --community cats --community dogs")(
    collect_reports.export
)
app.command(epilog="Example: graphldp collect held cats --json")(collect_reports.held)
app.command("delete-report", epilog="Example: graphldp collect delete-report cats 12")(collect_reports.delete_report)
app.command(epilog="Example: graphldp collect backup collector-2026-01-01.backup")(collect_backup.backup)
app.command(epilog="Example: graphldp collect restore collector-2026-01-01.backup")(collect_backup.restore)
app.command(epilog="Example: graphldp collect verify collector-2026-01-01.backup")(collect_backup.verify)
app.command(epilog="Example: graphldp collect train model.npz --defense threshold")(collect_learning.train)
app.command(epilog="Example: graphldp collect label model.npz --community cats")(collect_learning.label)
