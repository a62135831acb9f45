"""``graphldp collect jobs``: trainings and labellings that were started from the dashboard or the API."""

from __future__ import annotations

import typer

from graphldp.cli.collect.jobs import listing, run, start, stop

app = typer.Typer(
    help="Train and label in the background.",
    epilog="Example: graphldp collect jobs start train && graphldp collect jobs list",
    no_args_is_help=True,
)
app.command("list", epilog="Example: graphldp collect jobs list --json")(listing.list_jobs)
app.command("start", epilog="Example: graphldp collect jobs start label")(start.start)
app.command("stop", epilog="Example: graphldp collect jobs stop 3")(stop.stop)
app.command("run", hidden=True)(run.run)
