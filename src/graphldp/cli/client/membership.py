"""``graphldp client``: join a community, see what was spent, withdraw, forget, and look at a server's page."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.wire import Choice

app = typer.Typer()
HomeOption = Annotated[
    Path | None,
    typer.Option(envvar="GRAPHLDP_CLIENT_HOME", help="Where the client keeps its files.", metavar="FOLDER"),
]


def _joined(ctx: typer.Context, incomplete: str) -> list[str]:
    """Ids of the communities that somebody joined, for a shell to complete."""
    from graphldp.client.protocol import Client

    try:
        _, members = Client(ctx.params.get("home")).status()
        return [id for _, id in (each.where for each in members) if id.startswith(incomplete)]
    except Exception:  # a shell that completes shows no errors
        return []


Community = Annotated[
    str,
    typer.Argument(
        help="The community's id, as 'graphldp client status' shows it.", metavar="COMMUNITY", autocompletion=_joined
    ),
]
RelayOption = Annotated[
    str | None,
    typer.Option(
        help="The address of a relay that carries it, sealed. It sees neither report nor token.", metavar="URL"
    ),
]
ServerOption = Annotated[
    str | None,
    typer.Option(help="The collector's address, if several of yours have a community of this id.", metavar="URL"),
]
_LINK = re.compile("://|/join#")  # a broken one too: it is no file's name, and an error does not repeat it


@app.command(epilog="Example: graphldp client join - --accept 1 --cap 3")
def join(
    invitation: Annotated[
        str, typer.Argument(metavar="INVITATION", help="'-' for standard input, a file, a link or JSON.")
    ],
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
    from graphldp.wire.terms import LONGEST_TEXTS

    accepted = None if accept == "public" else _millionths("accept", accept)
    published = Client(home).join(
        Invitation.read(_invitation(invitation)),
        accept=accepted,
        cap=None if cap is None else _millionths("cap", cap),
    )
    offers: Any = {choice.name: shown(choice.cost) for choice in published.choices}
    if not as_json:
        offers = ", ".join(map(_offer, published.choices))
    row: dict[str, Any] = {"community": published.id, "name": published.name}
    row |= dict.fromkeys(LONGEST_TEXTS) | (published.inquiry.to_json() if published.inquiry else {})
    row |= {"users": published.n, "your number": published.user}
    row |= {"mechanism": published.mechanism, "epoch": published.epoch}
    if published.group_names:
        row["friends are counted by"] = list(published.group_names) if as_json else ", ".join(published.group_names)
        row["groups are dealt by chance"] = published.dealt if as_json else "yes" if published.dealt else "no"
    row["reports are kept"] = published.retention_days if as_json else published.kept
    row |= {"roster digest": published.roster_digest if as_json else spoken(published.roster_digest)}
    console.show_one(row | {"choices": offers}, as_json=as_json)


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


def _offer(choice: Choice) -> str:
    """A choice in words, then in ε."""
    from graphldp.client.explain import level
    from graphldp.client.keeping.ledger import shown
    from graphldp.wire import MILLION

    if choice.cost is None:
        return f"{choice.name}: hides nothing (public)"
    return f"{choice.name}: {level(choice.cost / MILLION)} (ε = {shown(choice.cost)})"


@app.command(
    epilog="""Examples:
graphldp client status
graphldp client status --add ledger-from-browser.json --ledger > ledger.json
"""
)
def status(
    add: Annotated[
        Path | None,
        typer.Option(help="First take in the ledger of another client of yours, such as a browser's.", metavar="FILE"),
    ] = None,
    as_ledger: Annotated[
        bool, typer.Option("--ledger", help="Print your ledger as JSON, for another client of yours to take in.")
    ] = False,
    home: HomeOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Show your communities, what each report cost, and what is left of your cap. Nothing is sent.

    A client counts what it drew itself. If you use several, give each the ledger of the others, so that your cap holds
    over all of them. What one of them drew, the others never draw again. If their caps differ, the smallest holds.
    """
    if add is not None or as_ledger:
        from graphldp.client.protocol import Client

        known = Client(home).ledger(add)
        if as_ledger:
            console.show_json(known.to_json())
            return
    from graphldp.client.keeping.ledger import shown
    from graphldp.client.protocol import Client
    from graphldp.wire import spoken

    ledger, members = Client(home).status()
    rows, digests = [], {member.where: spoken(member.published.roster_digest) for member in members}
    asked = {(*each.where, each.published.epoch) for each in members if (found := each.drawn()) and found.report.asked}
    for member in members:
        if not any(entry.slot == (*member.where, member.published.epoch) for entry in ledger.entries):
            rows.append(_row(*member.where, member.published.epoch, "–", "0", "joined", digests[member.where]))
    for entry in ledger.entries:
        state = "acknowledged" if entry.sent else "drawn, not acknowledged" if entry.drawn else "not drawn yet"
        state += ", question answered" if entry.answered else ", asked again" if entry.slot in asked else ""
        state += ", withdrawn" if entry.deleted else ", withdrawn, not acknowledged" if entry.withdrawn else ""
        state += "" if entry.slot[:2] in digests else ", forgotten"
        rows.append(_row(*entry.slot, entry.choice, shown(entry.millionths), state, digests.get(entry.slot[:2])))
    sums = {"spent": shown(ledger.spent), "cap": shown(ledger.cap), "left": shown(max(ledger.cap - ledger.spent, 0))}
    if as_json:
        console.show_json({"reports": rows} | sums)
        return
    console.show([{key: row[key] for key in row if key != "roster digest"} for row in rows], as_json=False)
    for (where, community), digest in digests.items():  # not in the table, which would cut addresses short
        line = f"Roster digest of {community} at {where}: {digest}"
        console.out.print(line, markup=False, highlight=False, soft_wrap=True)
    console.show_one(sums, as_json=False)


def _row(
    server: str, community: str, epoch: int, choice: str, epsilon: str, state: str, digest: str | None
) -> dict[str, str | int | None]:
    row: dict[str, str | int | None] = {"community": community, "server": server, "epoch": epoch}
    return row | {"choice": choice, "ε": epsilon, "state": state, "roster digest": digest}


_SAID = (
    "The collector says that it has deleted your report, and your answer if you gave one. It takes no other for this "
    "epoch. What a model learned from your report before stays in the model, and your ε stays spent: what was sent was "
    "seen. Backups and exported files that the operator made before hold your report until they are deleted. "
    "'graphldp client forget' deletes what is kept on this device."
)


@app.command(epilog="Example: graphldp client withdraw cats")
def withdraw(
    community: Community, server: ServerOption = None, home: HomeOption = None, as_json: console.JsonOption = False
) -> None:
    """Have the collector delete your reports of a community, in all epochs. It remembers that your slot was used.

    Backups from before, exported files and models that learned from a report are not changed by it.

    Withdraw if you no longer want to take part, not because of what your report says: the community sees that you
    withdrew, and ε does not protect what that would tell. Run it again if the collector was restored from a backup
    since.
    """
    from graphldp.client.protocol import Client

    epochs = Client(home).withdraw(community, server=server)
    if as_json:
        console.show_json({"community": community, "withdrawn epochs": epochs})
    else:
        console.out.print(_SAID, markup=False, highlight=False, soft_wrap=True)


@app.command(epilog="Example: graphldp client forget cats")
def forget(community: Community, server: ServerOption = None, home: HomeOption = None) -> None:
    """Delete your token and report of a community, and a list that waits. What you spent stays in the ledger."""
    from graphldp.client.protocol import Client

    Client(home).forget(community, server=server)
    console.err.print(f"Forgot {community}: token and report are deleted from this device, and a list that waited.")


_REST = (
    "This is what this machine was given now. A browser may still run something else: an older page that it has kept, "
    "or a service worker that another page of this address has left in it. A fresh browser profile has neither."
)


@app.command(epilog="Example: graphldp client verify-web https://reports.example.org")
def verify_web(
    url: Annotated[str, typer.Argument(help="The server's address, or that of its page.", metavar="URL")],
    as_json: console.JsonOption = False,
) -> None:
    """Compare a server's page for members with the one of this version, file by file. Exit code 1 where they differ.

    The files are asked for as a browser does, and the headers that they come with are compared, too. It says what this
    machine was given now. A server can give other people another page, or another one tomorrow, and a browser may run
    an older one that it has kept.
    """
    from graphldp.client.sending.page import verify_page
    from graphldp.wire import spoken

    check = verify_page(url)
    rows = [{"file": each.file, "same": each.same, "found": each.found} for each in check.files]
    if as_json:
        console.show_json({"digest": check.digest, "same": check.same, "files": rows})
    else:
        console.show(rows, as_json=False)
        verdict = "The server has this version's page." if check.same else "The server has another page."
        console.out.print(f"{verdict} Bundle digest of this version: {spoken(check.digest)}", soft_wrap=True)
        console.out.print(_REST, soft_wrap=True)
    if not check.same:
        raise typer.Exit(1)
