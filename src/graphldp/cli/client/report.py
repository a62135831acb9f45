"""``graphldp client report``: draw once, send the same bytes however often."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.client.ask import asker
from graphldp.cli.client.options import Community, HomeOption, RelayOption, ServerOption
from graphldp.cli.shared import console

if TYPE_CHECKING:
    from graphldp.client.keeping.membership import Drawn

EPILOG = "Example: graphldp client report cats --friends following_accounts.csv --choice standard"
_LOOKED = (
    "Nothing was sent. The report is drawn, kept and paid for: its ε is spent, and no other is drawn for this epoch. "
    "Run the command without --dry-run to send these bytes.\n"
    "Do not decide by what you see here. Sending a report only if you like it breaks the promise: your choice would "
    "depend on your list, no ε covers what your silence tells, and the ε that was spent does not come back."
)


def report(
    community: Community,
    friends: Annotated[
        Path | None,
        typer.Option(help="Your friends: text, CSV, JSON or Mastodon's following_accounts.csv.", metavar="FILE"),
    ] = None,
    choice: Annotated[str | None, typer.Option(help="Which of the community's choices of ε.", metavar="NAME")] = None,
    new_epoch: Annotated[
        bool,
        typer.Option(
            "--new-epoch",
            help="Join the new epoch: see what the community publishes now, and draw again. That costs its full ε.",
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Draw, keep and pay for the report, show what would be sent, and send nothing."),
    ] = False,
    resend: Annotated[
        bool, typer.Option("--resend", help="Send the kept bytes again, also if the collector acknowledged them.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Agree without being asked, whatever the file matches; for scripts.")
    ] = False,
    relay: RelayOption = None,
    server: ServerOption = None,
    home: HomeOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Draw your report, once, and send it; run it again to send the same bytes again.

    You see which of your friends are members, and are asked, before anything is drawn. What left is shown afterwards.
    """
    from graphldp.client.protocol import Client

    drawn = Client(home).report(
        community,
        server=server,
        friends_file=friends,
        choice=choice,
        new_epoch=new_epoch,
        dry_run=dry_run,
        resend=resend,
        relay=relay,
        approve=asker(yes=yes),
    )
    _show(drawn, dry_run=dry_run, as_json=as_json)


def _show(drawn: Drawn, *, dry_run: bool, as_json: bool) -> None:
    from graphldp.client.explain import in_words
    from graphldp.wire import to_json

    words = in_words(drawn.report, len(drawn.body), drawn.group_names)
    if as_json:
        fields = {"acknowledged": drawn.acknowledged, "bytes": drawn.body.hex()}
        fields |= {"report": json.loads(to_json(drawn.report)), "choice": drawn.choice}
        console.show_json(fields | {"note": drawn.note, "conclusions": words})
        return
    said = "would be sent, and no others" if dry_run else "were sent, and no others: the collector has your report"
    lines = [f"These bytes {said} (choice '{drawn.choice}'):", drawn.body.hex()]
    lines += ["Decoded:", to_json(drawn.report), *words]
    console.out.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)
    if dry_run:
        console.out.print(_LOOKED, markup=False, highlight=False, soft_wrap=True)
    if drawn.note:
        console.err.print(drawn.note, markup=False, highlight=False, soft_wrap=True)
