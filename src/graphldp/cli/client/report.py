"""``graphldp client report``: draw once, send the same bytes however often."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli import console
from graphldp.cli.client.options import Community, HomeOption

if TYPE_CHECKING:
    from graphldp.client.protocol import Drawn

EPILOG = "Example: graphldp client report cats --friends following_accounts.csv --choice standard --dry-run"


def report(
    community: Community,
    friends: Annotated[
        Path | None,
        typer.Option(
            help="Your friends: text, CSV, JSON or Mastodon's following_accounts.csv.",
            exists=True,
            dir_okay=False,
            metavar="FILE",
        ),
    ] = None,
    choice: Annotated[str | None, typer.Option(help="Which of the community's choices of ε.", metavar="NAME")] = None,
    new_epoch: Annotated[
        bool, typer.Option("--new-epoch", help="Draw another report, at its full ε, for a new epoch of the community.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Draw and keep the report, show what would be sent, and send nothing.")
    ] = False,
    home: HomeOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Draw your report, once, and send it; run it again to send the same bytes again."""
    from graphldp.client.protocol import Client

    drawn = Client(home).report(community, friends_file=friends, choice=choice, new_epoch=new_epoch, dry_run=dry_run)
    _show(drawn, dry_run=dry_run, as_json=as_json)


def _show(drawn: Drawn, *, dry_run: bool, as_json: bool) -> None:
    from graphldp.client.explain import in_words
    from graphldp.wire import to_json

    words = in_words(drawn.report, len(drawn.body))
    if as_json:
        fields = {
            "acknowledged": drawn.acknowledged,
            "bytes": drawn.body.hex(),
            "report": json.loads(to_json(drawn.report)),
        }
        print(json.dumps(fields | {"choice": drawn.choice, "unmatched": drawn.unmatched, "conclusions": words}))
        return
    if drawn.unmatched:
        console.err.print(f"{drawn.unmatched:,} names of your file are not in the community's roster.")
    if dry_run:
        print(f"These bytes would be sent, and no others (choice '{drawn.choice}'):\n{drawn.body.hex()}")
        print(f"Decoded:\n{to_json(drawn.report)}")
        print("\n".join(words))
        print("Nothing was sent. The report is kept: run the command without --dry-run to send these bytes.")
        return
    print(f"The collector has your report: {len(drawn.body)} bytes, choice '{drawn.choice}'.")
