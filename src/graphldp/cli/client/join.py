"""``graphldp client join``: take an invitation."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.client.options import HomeOption
from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

EPILOG = "Example: graphldp client join - --accept 1 --cap 3"
_LINK = re.compile("://|/join#")  # a broken one too: it is no file's name, and an error does not repeat it


def join(
    invitation: Annotated[str, typer.Argument(help="The invitation: '-' for standard input, a file, a link or JSON.")],
    accept: Annotated[str, typer.Option(help="The largest ε you accept here, or 'public'.", metavar="ε")],
    cap: Annotated[
        str | None, typer.Option(help="A new cap on your ε in all communities together.", metavar="ε")
    ] = None,
    home: HomeOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Take an invitation, and see what the community publishes. It sends your token, and nothing else of yours.

    Do not type the link into the command: other users of this machine could read it there, and your shell may remember
    it. Whoever has it can report in your place. Give '-' and paste the link then, or name a file.

    Your cap is the most ε that you spend in all communities together: 5 unless you set another. The roster digest is
    the same for every member. Compare it with another member's to know that you were shown the same roster.
    """
    from graphldp.client.keeping.ledger import shown
    from graphldp.client.protocol import Client
    from graphldp.wire import Invitation, spoken

    accepted = None if accept == "public" else _millionths("accept", accept)
    published = Client(home).join(
        Invitation.read(_invitation(invitation)),
        accept=accepted,
        cap=None if cap is None else _millionths("cap", cap),
    )
    offers = {choice.name: shown(choice.cost) for choice in published.choices}
    row = {"community": published.id, "name": published.name, "users": published.n, "your number": published.user}
    row |= {"mechanism": published.mechanism, "epoch": published.epoch}
    if published.group_names:
        row["friends are counted by"] = list(published.group_names) if as_json else ", ".join(published.group_names)
    row["reports are kept"] = published.retention_days if as_json else published.kept
    row |= {"roster digest": published.roster_digest if as_json else spoken(published.roster_digest)}
    console.show_one(row | {"choices": offers if as_json else _offers(offers)}, as_json=as_json)


def _invitation(given: str) -> str:
    if given == "-":
        first = sys.stdin.readline()
        return first if _LINK.search(first) else first + sys.stdin.read()  # a link ends with its line
    itself = given.lstrip().startswith("{") or _LINK.search(given)
    return given if itself else Path(given).read_text(encoding="utf-8")


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
