"""``graphldp collect``: what an operator does. It works on the collector's database, beside a running server."""

from __future__ import annotations

import typer

from graphldp.cli.collect import (
    audit_log,
    backup,
    classes,
    community,
    delete_report,
    export,
    held,
    invite,
    jobs,
    label,
    label_users,
    operator,
    restore,
    sealing,
    train,
    verify,
)

app = typer.Typer(
    help="Open communities, invite users, and learn from what they reported.",
    epilog="Example: graphldp collect community create cats --roster cats.txt --epsilon 1 && "
    "graphldp collect invite cats --server https://reports.example.org --out invitations",
    no_args_is_help=True,
)
app.add_typer(community.app, name="community")
app.add_typer(classes.app, name="class")
app.add_typer(operator.app, name="operator")
app.add_typer(jobs.app, name="jobs")
app.add_typer(sealing.app, name="sealing")
app.add_typer(audit_log.app, name="audit-log")
app.command(epilog="Example: graphldp collect invite cats --server https://reports.example.org --out invitations")(
    invite.invite
)
app.command(epilog="Example: graphldp collect export reports.npz --community cats --community dogs")(export.export)
app.command(epilog="Example: graphldp collect held cats --json")(held.held)
app.command("delete-report", epilog="Example: graphldp collect delete-report cats 12")(delete_report.delete_report)
app.command(epilog="Example: graphldp collect backup collector-2026-01-01.backup")(backup.backup)
app.command(epilog="Example: graphldp collect restore collector-2026-01-01.backup")(restore.restore)
app.command(epilog="Example: graphldp collect verify collector-2026-01-01.backup")(verify.verify)
app.command(epilog="Example: graphldp collect train model.npz")(train.train)
app.command(epilog="Example: graphldp collect label model.npz --community cats")(label.label)
app.command("label-users", epilog="Example: graphldp collect label-users pages --labels pages.csv")(
    label_users.label_users
)
