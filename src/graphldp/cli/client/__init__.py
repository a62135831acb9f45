"""``graphldp client``: join a community, report once, see what was spent, forget."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli import console
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.client.protocol import Drawn

app = typer.Typer(
    help="Report your friends to a community, noisily and once. Your list stays on this device.",
    epilog="Example: graphldp client join invitation.json --accept 1 && "
    "graphldp client report cats --friends following_accounts.csv --dry-run",
    no_args_is_help=True,
)

HomeOption = Annotated[
    Path | None,
    typer.Option(envvar="GRAPHLDP_CLIENT_HOME", help="Where the client keeps its files.", metavar="FOLDER"),
]
Community = Annotated[str, typer.Argument(help="The community's id, as 'graphldp client status' shows it.")]


@app.command(epilog="Example: graphldp client join invitation.json --accept 1 --cap 3")
def join(
    invitation: Annotated[str, typer.Argument(help="The invitation: a file, '-' for standard input, or its JSON.")],
    accept: Annotated[str, typer.Option(help="The largest ε you accept here, or 'public'.", metavar="ε")],
    cap: Annotated[
        str | None, typer.Option(help="A new cap on your ε in all communities together.", metavar="ε")
    ] = None,
    home: HomeOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Take an invitation, and see what the community publishes. Nothing of yours is sent but the token.

    Your cap over all communities is 5 unless you set another.
    """
    from graphldp.client.ledger import shown
    from graphldp.client.protocol import Client
    from graphldp.client.published import Invitation

    accepted = None if accept == "public" else _millionths("accept", accept)
    published = Client(home).join(
        Invitation.from_json(_invitation(invitation)),
        accept=accepted,
        cap=None if cap is None else _millionths("cap", cap),
    )
    offers = {choice.name: shown(choice.cost) for choice in published.choices}
    row = {"community": published.id, "name": published.name, "users": published.n, "your number": published.user}
    row |= {"mechanism": published.mechanism, "epoch": published.epoch}
    console.show_one(row | {"choices": offers if as_json else _offers(offers)}, as_json=as_json)


@app.command(epilog="Example: graphldp client report cats --friends following_accounts.csv --choice standard --dry-run")
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


@app.command(epilog="Example: graphldp client status")
def status(home: HomeOption = None, as_json: console.JsonOption = False) -> None:
    """Show your communities, what each report cost, and what is left of your cap. Nothing is sent."""
    from graphldp.client.ledger import shown
    from graphldp.client.protocol import Client

    ledger, members = Client(home).status()
    rows = []
    for member in members:
        if not any(entry.slot == (*member.where, member.published.epoch) for entry in ledger.entries):
            rows.append(_row(*member.where, member.published.epoch, "–", "0", "joined"))
    joined = {member.where for member in members}
    for entry in ledger.entries:
        state = "acknowledged" if entry.sent else "drawn, not acknowledged" if entry.drawn else "not drawn yet"
        state += "" if entry.slot[:2] in joined else ", forgotten"
        rows.append(_row(*entry.slot, entry.choice, shown(entry.millionths), state))
    sums = {"spent": shown(ledger.spent), "cap": shown(ledger.cap), "left": shown(max(ledger.cap - ledger.spent, 0))}
    if as_json:
        print(json.dumps({"reports": rows} | sums, ensure_ascii=False))
        return
    console.show(rows, as_json=False)
    console.show_one(sums, as_json=False)


@app.command(epilog="Example: graphldp client forget cats")
def forget(community: Community, home: HomeOption = None) -> None:
    """Delete your list, token and report of a community. What you spent stays in the ledger."""
    from graphldp.client.protocol import Client

    Client(home).forget(community)
    console.err.print(f"Forgot {community}: list, token and report are deleted from this device.")


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


def _invitation(given: str) -> str:
    if given == "-":
        return sys.stdin.read()
    return given if given.lstrip().startswith("{") else Path(given).read_text(encoding="utf-8")


def _millionths(name: str, text: str) -> int:
    from fractions import Fraction

    try:
        exact = Fraction(text) * 10**6
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if exact < 1:
        raise bad_parameter(name, "graphldp client join", "an ε of a millionth or more", text)
    return exact.__floor__()


def _offers(offers: dict[str, str]) -> str:
    return ", ".join(
        f"{name} (ε = {cost})" if cost != "public" else f"{name} (public)" for name, cost in offers.items()
    )


def _row(server: str, community: str, epoch: int, choice: str, epsilon: str, state: str) -> dict[str, str | int]:
    row: dict[str, str | int] = {"community": community, "server": server, "epoch": epoch}
    return row | {"choice": choice, "ε": epsilon, "state": state}
