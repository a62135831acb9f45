"""Invite users: a token each, as a link to hand to her."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphldp.collector.acting import acting
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.store import Store
from graphldp.wire import Invitation, address

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet computes


@dataclass(frozen=True)
class Invited:
    """A user and her invitation, which is secret: whoever holds it can report in her place, once.

    Args:
        user: her slot.
        name: hers.
        link: what she opens in a browser.
        invitation: the same for programs.
    """

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
        hand_over: takes the invitations before they are valid. Where it fails, nobody was invited.
    """
    drawn = store.invitations.draw(id, users)
    where = address(server)  # what no client would take is not worth an old token
    roster = store.roster(store.community(id)) if drawn else []
    invitations = {user: Invitation(where, id, token) for user, token in drawn.items()}
    made = [Invited(user, roster[user], each.to_link(page), each) for user, each in invitations.items()]
    if made:
        hand_over(made)
        store.invitations.keep(id, drawn, replace=users is not None)
    return made


def mail_merge(invited: Sequence[Invited], *, files: bool = False) -> str:
    """Who is in which slot, and her link, as CSV that a spreadsheet shows and does not compute.

    Args:
        invited: the users.
        files: whether the last column names a file for each.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["slot", "name", "link", *(["file"] if files else [])])
    for each in invited:
        shown = f"'{each.name}" if each.name.lstrip(" ").startswith(_FORMULAS) else each.name
        writer.writerow([each.user, shown, each.link, *([f"{each.user}.json"] if files else [])])
    return text.getvalue()
