"""``graphldp client report`` and ``answer``: draw once, send the same bytes however often."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.client.membership import Community, HomeOption, RelayOption, ServerOption
from graphldp.cli.shared import console
from graphldp.errors import ClientError
from graphldp.files.text import printable

if TYPE_CHECKING:
    from graphldp.client.answering import Answered
    from graphldp.client.keeping.membership import Drawn
    from graphldp.client.questions import Consent


class Asker:
    """The questions to a user: shows what there is to know, and asks; ``yes`` goes on without.

    ``yes`` takes every list, also one that matches nobody: a refusal that depends on the list would tell the collector
    about it. So would what is shown, by its length or where it cannot be written: before the draw ``yes`` shows nothing
    that depends on the list, and nobody's name ever. What the list says follows with :meth:`tell`, in numbers.

    Args:
        yes: whether the user agrees to everything.
    """

    def __init__(self, *, yes: bool) -> None:
        self._yes = yes
        self._untold: list[Consent] = []

    def __call__(self, question: Consent) -> bool:
        """Ask, and give the answer."""
        asks = not self._yes and sys.stdin.isatty()
        if not self._yes:
            _print(question.of_list(names=asks))
        _print(question.in_words(names=asks))
        if self._yes:
            self._untold.append(question)
            return True
        if not asks:
            raise ClientError("There is no terminal to ask on: look at the above, and give --yes to agree to it.")
        return typer.confirm(printable(question.asks), err=True)

    def tell(self) -> None:
        """Show in numbers what the list said; nothing is sent any more."""
        for question in self._untold:
            _print(question.of_list(names=False))


_FOUND = 20  # names that a screen has room for


def pick(roster: Sequence[str]) -> list[str]:
    """Ask a user on a terminal who of the roster her friends are, by parts of names, until she types nothing."""
    from graphldp.client.friends import find

    ticked = dict[str, None]()
    _print(["No file was given: find your friends by name. Nothing is sent yet."])
    while part := _typed("A part of a name, or nothing to go on"):
        found = find(part, roster)
        names = found[:_FOUND]
        if len(found) != 1:
            more = [f"… and {len(found) - len(names):,} more. Type a longer part."] if len(names) < len(found) else []
            _print([f"{place:>4}  {name}{', ticked' * (name in ticked)}" for place, name in enumerate(names, 1)])
            _print(more if names else ["No member has this in the name."])
            given = _typed("Which numbers, with spaces between, or nothing").split() if names else []
            names = [names[int(each) - 1] for each in given if each.isdecimal() and 0 < int(each) <= len(names)]
        for name in names:
            if name in ticked:
                del ticked[name]
            else:
                ticked[name] = None
        _print([f"{'Ticked' if name in ticked else 'Not ticked any more'}: {name}" for name in names])
        _print([f"You ticked {len(ticked):,}."])
    return list(ticked)


def _typed(question: str) -> str:
    """A line that the user types, without the space around it."""
    line: str = typer.prompt(question, default="", show_default=False, err=True)
    return line.strip()


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        console.err.print(line, markup=False, highlight=False, soft_wrap=True)


app = typer.Typer()
_LOOKED = (
    "Nothing was sent. The report is drawn, kept and paid for: its ε is spent, and no other is drawn for this epoch. "
    "Run the command without --dry-run to send these bytes.\n"
    "Do not decide by what you see here. Sending a report only if you like it breaks the promise: your choice would "
    "depend on your list, no ε covers what your silence tells, and the ε that was spent does not come back."
)


@app.command(epilog="Example: graphldp client report cats --friends following_accounts.csv --choice standard")
def report(
    community: Community,
    friends: Annotated[
        Path | None,
        typer.Option(
            help="Your friends: text, CSV, JSON or Mastodon's following_accounts.csv; none, to tick them by name.",
            metavar="FILE",
        ),
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

    Without a file you are asked for your friends by name, in a terminal. You see which of your friends are members, and
    what ε means, and are asked, before anything is drawn. The report
    leaves within about a minute, at a moment that chance picks: a few seconds more or less over your list hardly show
    in it, many minutes do. You may stop the program meanwhile and run it again. What left is shown afterwards.
    """
    from graphldp.client.protocol import Client

    asker = Asker(yes=yes)
    try:
        drawn = Client(home).report(
            community,
            server=server,
            friends_file=friends,
            pick=pick if friends is None and not yes and sys.stdin.isatty() else None,
            choice=choice,
            new_epoch=new_epoch,
            dry_run=dry_run,
            resend=resend,
            relay=relay,
            approve=asker,
        )
    finally:
        asker.tell()
    _show_report(drawn, dry_run=dry_run, as_json=as_json)


def _show_report(drawn: Drawn, *, dry_run: bool, as_json: bool) -> None:
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


@app.command(epilog="Example: graphldp client answer cats")
def answer(
    community: Community,
    resend: Annotated[
        bool, typer.Option("--resend", help="Send the kept answer again, also if the collector acknowledged it.")
    ] = False,
    decline: Annotated[
        bool, typer.Option("--decline", help="Never answer: delete the list that is kept for it. Nothing is sent.")
    ] = False,
    relay: RelayOption = None,
    server: ServerOption = None,
    home: HomeOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Answer a community's second question, if your report is asked one.

    It costs no ε beyond your report's. Your client answers only the first question that it sees, from the list that
    your report was drawn from. Run it again to send the same bytes again.

    Until then your list is kept on this device. If you would rather not wait, --decline deletes it. Do not decide by
    who is on it: the community sees that you did not answer.
    """
    from graphldp.client.protocol import Client

    if decline:
        Client(home).decline(community, server=server)
        console.err.print("Your list is deleted from this device; the second question stays unanswered.")
        return
    _show_answer(Client(home).answer(community, server=server, resend=resend, relay=relay), as_json=as_json)


def _show_answer(answered: Answered, *, as_json: bool) -> None:
    from graphldp.wire import spoken

    told = answered.answer
    if as_json:
        fields = {"bytes": answered.body.hex(), "answer": json.loads(told.to_json())}
        console.show_json(fields | {"quiet_friends": answered.quiet_friends})
        return
    said = (
        f"They say {told.count}: how many bits of all noisy lists say that two of your friends are friends, less what "
        "everybody's client subtracts for each friend, plus noise."
        if answered.quiet_friends is None
        else f"They say that {told.count} of your friends here are busy and {answered.quiet_friends} are not: the true "
        "numbers plus noise."
    )
    lines = [
        "These bytes were sent, and no others: the collector has your answer:",
        answered.body.hex(),
        said,
        f"Question, of which your client answers no other: {spoken(told.question)}.",
        "Your answer costs nothing more: your report's ε covers both.",
    ]
    console.out.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)
