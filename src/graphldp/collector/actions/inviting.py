"""Invitations of users: a token each, as a link to hand to her."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import segno

from graphldp.collector.roles import Actor, Role, acting
from graphldp.collector.storage.store import Store
from graphldp.errors import Described, ParameterError, bad_parameter
from graphldp.files.text import as_text, csv_line
from graphldp.wire import Invitation, address

MOST = 20_000
"""How many are invited at a time over HTTP; the others by another request."""

LONGEST_ADDRESS = 200
"""Characters of an address that invitations lead to: each of them repeats it."""


@dataclass(frozen=True)
class Invited:
    """A user and her invitation, which is secret: whoever holds it can report in her place, once."""

    user: int
    name: str
    link: str
    invitation: Invitation


@acting("community.invite", Role.OPERATOR)
def invite(
    store: Store,
    actor: Actor,
    id: str,
    *,
    server: str,
    users: Sequence[int] | None = None,
    page: str | None = None,
    most: int | None = None,
    days: float | None = None,
    hand_over: Callable[[Sequence[Invited]], object] = len,
) -> list[Invited]:
    """Invite every user who has no invitation, or some anew.

    Args:
        store: where the community is.
        actor: who acts.
        id: the community.
        server: the collector's public address, as clients reach it.
        users: slots; their earlier invitations are void from then on.
        page: where somebody else hosts the page for members; the server by default.
        most: so many at a time; the others have no invitation yet, or keep theirs.
        days: after which an unused invitation stops working; None for never.
        hand_over: takes the invitations before they are valid. Where it fails, nobody was invited.
    """
    for name, given in (("server", server), ("page", page or "")):
        if len(given) > LONGEST_ADDRESS:
            raise bad_parameter(name, "invite", f"at most {LONGEST_ADDRESS} characters", Described(f"{len(given):,}"))
    drawn = store.invitations.draw(id, users, most)
    where = address(server)  # what no client would take is not worth an old token
    roster = store.roster(store.community(id)) if drawn else []
    invitations = {user: Invitation(where, id, token) for user, token in drawn.items()}
    made = [Invited(user, roster[user], each.to_link(page), each) for user, each in invitations.items()]
    if made:
        hand_over(made)
        store.invitations.keep(id, drawn, replace=users is not None, days=days)
    return made


def silent(store: Store, id: str) -> list[int]:
    """The slots that have an invitation and no report, in the latest epoch."""
    latest = store.holdings.of(id)[-1]
    return sorted({*latest.invited} - {*latest.held, *latest.deleted})


def parse_slots(text: str, n: int) -> list[int]:
    """Slots of n users, as people write them: ``0-3, 7``."""
    wanted = f"slots from 0 to {n - 1}, such as 0-3, 7"
    ranges = []
    for part in text.replace("–", "-").replace(",", " ").split():
        first, dash, last = part.partition("-")
        ends = (first, last if dash else first)
        if not all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
            raise bad_parameter("users", "invite", wanted, text[:40])
        low, high = map(int, ends)
        if not low <= high < n:
            raise bad_parameter("users", "invite", wanted, text[:40])
        ranges.append((low, high + 1))
    if not ranges:
        raise bad_parameter("users", "invite", wanted, text[:40])
    slots, end = list[int](), 0
    for low, high in sorted(ranges):  # each slot once, however many ranges it is in
        slots += range(max(low, end), high)
        end = max(end, high)
    return slots


def mail_merge(invited: Sequence[Invited], *, files: bool = False) -> str:
    """A CSV file of who is in which slot, with her link, that a spreadsheet shows and does not compute."""
    header: tuple[object, ...] = ("slot", "name", "link", "file")
    rows = [(each.user, as_text(each.name), each.link, f"{each.user}.json") for each in invited]
    return "".join(csv_line(row if files else row[:-1]) for row in (header, *rows))


def svg(link: str, *, sized: bool = True) -> str:
    """A drawing of a link, with the white border that scanners need, on white: it is read in a dark window too."""
    try:
        code = segno.make_qr(link, error="m")
    except segno.DataOverflowError:
        raise ParameterError("The link is too long for a QR code; give shorter addresses.") from None
    drawn = io.BytesIO()
    code.save(drawn, kind="svg", scale=8 if sized else 1, border=4, light="white", omitsize=not sized)
    return drawn.getvalue().decode()
