"""What leaves a member's browser, compared for neighbouring lists, against a collector that lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, Route
from tests.clients.web.member import Member, call
from tests.clients.web.site import Site

from graphldp.audit.protocol import TOKEN, FailingCollector, failing_collector
from graphldp.audit.traffic import KINDS, MOVES, NEIGHBOURS, Move, renamed
from graphldp.wire import Invitation, decode

PLAIN_RR: dict[str, Any] = {"mechanism": "rr", "choices": [{"name": "standard", "epsilon1": 0, "epsilon2": 1.0}]}
LISTS_NOBODY = (
    0xFF  # the entropy at which randomized response lists nobody, whatever the list, and counts have no noise
)


@pytest.fixture(scope="module")
def liar() -> Iterator[FailingCollector]:
    with failing_collector() as running:
        yield running


def forwarded(route: Route, liar: FailingCollector) -> None:
    """The page is the collector's; everything that it asks of the collector goes to the liar, as it is."""
    asked = route.request
    address = liar.invitation.server + asked.url.removeprefix(asked.url.partition("/v1")[0])
    given, headers = asked.post_data_buffer, asked.headers
    try:  # the liar is on loopback: to read the certificates of the world would take 40 ms each time
        answer = httpx.request(asked.method, address, content=given, headers=headers, verify=False)
    except httpx.TransportError:
        route.abort()
    else:
        route.fulfill(status=answer.status_code, body=answer.content)


def moved(page: Page, member: Member, friends: Sequence[int], move: Move) -> None:
    """One visit: she takes a report back, or takes a new round where she is asked to and reports or sends again."""
    if move.withdraws:
        call(page, "withdraw", member.where)
        return
    if move.options.get("new_epoch", False):
        offered = call(page, "look", member.where).get("value", {}).get("renewal")
        call(page, "renew", member.where | {"terms": offered["community"]["terms"] if offered else ""})
    member.report(page, friends)


def recorded(
    context: BrowserContext, site: Site, liar: FailingCollector, lists: tuple[Sequence[int], Sequence[int]], kind: str
) -> tuple[list[Any], list[Any]]:
    """All requests of one member, who goes along with every move of the adversary."""
    liar.requests, liar.epoch, liar.changes, liar.mishaps = [], 1, {"held": []} | KINDS[kind][0], []
    member = Member(context, Invitation(site.collector.url, "audit", TOKEN).to_link(), entropy=LISTS_NOBODY)
    context.route("**/v1/**", lambda route: forwarded(route, liar))
    page = member.opened()
    member.requests.clear()  # a browser asks for the parts of a page in any order, before it knows of a list
    for move in MOVES:
        liar.changes |= move.changes
        liar.mishaps = list(move.mishaps)
        moved(page, member, lists[move.edited], move)
    heard = [(each.method, each.path, each.body, each.headers) for each in liar.requests]
    context.close()
    return heard, [(each.method, each.url) for each in member.requests]


def test_what_a_member_was_shown_is_what_is_kept(
    new_context: Callable[..., BrowserContext], site: Site, liar: FailingCollector
) -> None:
    """The community shows one roster in its new epoch, and has another by the time that she agrees."""
    liar.requests, liar.epoch, liar.changes, liar.mishaps = [], 1, {"held": []} | PLAIN_RR, []
    context = new_context()
    member = Member(context, Invitation(site.collector.url, "audit", TOKEN).to_link())
    context.route("**/v1/**", lambda route: forwarded(route, liar))
    page = member.opened()
    assert member.report(page, (1, 2))["value"]["state"] == "sent"
    liar.changes |= {"epoch": 2} | renamed(12)
    shown = call(page, "look", member.where)["value"]["renewal"]
    changes = {each["what"]: each["now"] for each in shown["differences"]}
    assert changes == {"joined": "user12-renamed", "left": "user12"}
    liar.changes |= renamed(13)
    assert call(page, "renew", shown["community"])["value"]["community"]["epoch"] == 2
    assert [each["name"] for each in call(page, "search", member.where, "renamed")["value"]] == ["user12-renamed"]
    assert [each.method for each in liar.requests] == ["GET", "PUT", "GET"]


def test_terms_that_she_was_not_shown_are_neither_pinned_nor_drawn_by(
    new_context: Callable[..., BrowserContext], site: Site, liar: FailingCollector
) -> None:
    """Another tab takes a new roster and a larger ε under the same name; this one still shows the old screen."""
    liar.requests, liar.epoch, liar.changes, liar.mishaps = [], 1, {"held": []} | PLAIN_RR, []
    context = new_context()
    member = Member(context, Invitation(site.collector.url, "audit", TOKEN).to_link())
    context.route("**/v1/**", lambda route: forwarded(route, liar))
    page = member.opened()
    agreed = member.shown(page)
    louder = [{"name": "standard", "epsilon1": 0, "epsilon2": 4.0}]
    liar.changes |= {"epoch": 2, "choices": louder} | renamed(12)
    other = member.opened()
    first = call(other, "look", member.where)["value"]["renewal"]["community"]
    liar.changes |= {"epoch": 3}
    second = call(other, "look", member.where)["value"]["renewal"]["community"]
    assert call(other, "renew", first)["trouble"] == "changed"
    assert call(other, "renew", second)["value"]["community"]["epoch"] == 3
    assert call(page, "report", agreed, "standard", [1, 12])["trouble"] == "changed"
    assert call(page, "status")["value"]["spent"] == 0
    assert member.bodies == []


@pytest.mark.parametrize(
    ("kind", "pair"), [("a list", NEIGHBOURS[0]), ("a list", NEIGHBOURS[1]), ("counts", NEIGHBOURS[1])]
)
def test_no_move_tells_neighbours_apart(
    kind: str,
    pair: tuple[Sequence[int], Sequence[int]],
    new_context: Callable[..., BrowserContext],
    site: Site,
    liar: FailingCollector,
) -> None:
    """One of the two later edits her list, the other does not. Counts without noise differ, and nothing beside them."""
    one, other = pair
    first = recorded(new_context(), site, liar, (one, one), kind)
    second = recorded(new_context(), site, liar, (other, range(20, 30)), kind)
    epochs = {"epoch=1", "epoch=2", "epoch=3"}
    if kind == "counts":
        told = [next(decode(body).counts for _, _, body, _ in heard if body) for heard, _ in (first, second)]
        assert told == [(1, 2), (2, 2)]
        first, second = (
            ([(*each[:2], len(each[2] or b""), each[3]) for each in heard], log) for heard, log in (first, second)
        )
        epochs = {"epoch=1"}  # the moves' later epochs have lists beside groups: no community has, and she stays away
    assert first == second
    heard, log = first
    assert {path[-7:] for method, path, *_ in heard if method == "PUT"} == epochs
    assert any(method == "DELETE" for method, *_ in heard)
    assert len(log) > len(MOVES)
