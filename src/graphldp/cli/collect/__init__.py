"""``graphldp collect``: what an operator does. It works on the collector's database, beside a running server."""

from __future__ import annotations

import typer

from graphldp.cli.collect import (
    administration,
    community,
    invite,
    job,
    keeping,
    label,
    operator,
    reports,
    synthesize,
    train,
)

app = typer.Typer(
    help="Open communities, invite users, and learn from what they reported.",
    epilog="Example: graphldp collect community create cats --roster cats.txt --epsilon 1 && "
    "graphldp collect invite cats --server https://reports.example.org --out invitations",
    no_args_is_help=True,
)
app.add_typer(community.app, name="community")
app.add_typer(operator.app, name="operator")
for each in (invite, reports, synthesize, train, label, job, keeping, administration):
    app.add_typer(each.app)
