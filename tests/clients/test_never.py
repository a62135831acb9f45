"""What must never happen, for both clients under one adversary: every entry of ``never.toml`` runs in both languages.

The longer script of ``graphldp.audit.traffic`` compares all that leaves a device for neighbouring lists. The Python
client meets it in the audit, the browser's here.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.clients.adversary import Never, catalogue
from tests.clients.drivers import BrowserDevice, PythonDevice, browser_process
from tests.walks.test_hostile_rosters import ROSTERS

from graphldp.audit.protocol import ROSTER, FailingCollector, Request, failing_collector
from graphldp.audit.traffic import CLOSED_PAIRS, KINDS, MOVES, NEIGHBOURS, clique, renamed
from graphldp.client.protocol import LATEST
from graphldp.wire import decode, roster_digest

PLAIN_RR: dict[str, Any] = {"mechanism": "rr", "choices": [{"name": "standard", "epsilon1": 0, "epsilon2": 1.0}]}
# the entropy at which randomized response lists nobody, whatever the list, and counts have no noise
LISTS_NOBODY = 0xFF
every_entry = pytest.mark.parametrize("never", catalogue(), ids=lambda never: never.name)


@pytest.fixture(scope="module")
def running() -> Iterator[FailingCollector]:
    with failing_collector() as server:
        yield server


@pytest.fixture
def server(running: FailingCollector) -> FailingCollector:
    running.bodies, running.answers, running.question, running.epoch = [], [], None, 1
    return running


@pytest.fixture(scope="module")
def node(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    with browser_process(web, tmp_path_factory.mktemp("member")) as process:
        yield process


@pytest.mark.attack("device")
@every_entry
def test_the_python_client_never_does_this(
    never: Never, server: FailingCollector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collector that lies, redirects, refuses and goes back gets one report, one answer and nothing else."""
    never.play(server, PythonDevice(tmp_path / "device", server.invitation, monkeypatch))


@pytest.mark.attack("page")
@every_entry
def test_the_browser_never_does_this(never: Never, server: FailingCollector, node: subprocess.Popen[str]) -> None:
    """The same moves of the same collector get from the browser what they get from the Python client."""
    never.play(server, BrowserDevice(node, server.invitation.to_link()))


def recorded(
    server: FailingCollector, node: subprocess.Popen[str], lists: tuple[Sequence[int], Sequence[int]], kind: str
) -> list[Request]:
    """All requests of one member, who goes along with every move of the audit's adversary."""
    server.requests, server.epoch, server.changes, server.mishaps = [], 1, {"held": []} | KINDS[kind][0], []
    device = BrowserDevice(node, server.invitation.to_link(), LISTS_NOBODY)
    device.act("open")
    for move in MOVES:
        server.changes |= move.changes
        server.mishaps = list(move.mishaps)
        name = "withdraw" if move.command == "withdraw" else "new round" if move.options.get("new_epoch") else "report"
        device.act(name, lists[move.edited])
    return server.requests


@pytest.mark.attack("page")
@pytest.mark.parametrize(("kind", "pair"), [*product(["a list"], NEIGHBOURS), ("counts", NEIGHBOURS[1])])
def test_no_move_tells_neighbours_apart(
    kind: str, pair: tuple[Sequence[int], Sequence[int]], server: FailingCollector, node: subprocess.Popen[str]
) -> None:
    """Whatever a collector changes, refuses or denies, neighbouring lists get the same requests out of a browser."""
    one, other = pair
    first = recorded(server, node, (one, one), kind)
    second = recorded(server, node, (other, range(20, 30)), kind)
    epochs = {"epoch=1", "epoch=2", "epoch=3"}
    if kind == "counts":  # without noise they differ, and nothing beside them
        told = [next(decode(each.body).counts for each in heard if each.body) for heard in (first, second)]
        assert told == [(1, 2), (2, 2)]
        epochs = {"epoch=1"}  # the moves' later epochs have lists beside groups: no community has, and she stays away
    plain = [
        [(each.method, each.path, len(each.body or b"") if kind == "counts" else each.body) for each in heard]
        for heard in (first, second)
    ]
    assert plain[0] == plain[1]
    assert [each.headers for each in first] == [each.headers for each in second]
    assert {path[-7:] for method, path, _ in plain[0] if method == "PUT"} == epochs
    assert any(method == "DELETE" for method, *_ in plain[0])


FRIEND = 12
TWIN = ROSTER[FRIEND]
HOSTILE = {
    "spaces behind": TWIN + " " * 2_000_000,
    "spaces before": " " * 2_000_000 + TWIN,
    "wide spaces": TWIN + "\u3000" * 500_000,
    "marks": TWIN + "\u0301" * 500_000,
    "ligatures that grow": TWIN + "\ufdfa" * 100_000,
    "letters": TWIN * 300_000,
    "one space": TWIN + " ",
    "an @": "@" + TWIN,
    "two @": "@@" + TWIN,
    "a host": TWIN + "@a.example",
    "capitals": TWIN.upper(),
    "a joiner": TWIN + "\u034f",
    "a variation selector": TWIN + "\ufe0f",
    "a filler": TWIN + "\u3164",
    "a blank": TWIN + "\u2800",
    "full width": "\uff55" + TWIN[1:],
    "another script": TWIN.replace("e", "\u0435"),
    "backwards": "\u202e" + TWIN,
    "a line's end": TWIN + "\n",
    "no text": "\ud800",
    "a number": 12,
    "an empty name": "",
}


@pytest.mark.attack("page")
@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("beside", [False, True], ids=["instead of a name", "beside it"])
def test_no_roster_tells_a_friend(
    kind: str, beside: bool, server: FailingCollector, node: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name like a friend's, a huge or a broken one, in the roster: both neighbours send the same at the same time."""
    place = FRIEND + 1 if beside else FRIEND
    roster = [HOSTILE[kind] if number == place else name for number, name in enumerate(ROSTER)]
    digest = "0" * 64 if kind == "no text" else roster_digest([each for each in roster if isinstance(each, str)])
    server.changes = {"held": []} | PLAIN_RR
    published = FailingCollector.published(server)
    published |= {"roster": roster, "roster_digest": digest}
    monkeypatch.setattr(server, "published", lambda: published)
    found = []
    for friends in ((10, 11), (10, 11, FRIEND)):
        server.requests = []
        device = BrowserDevice(node, server.invitation.to_link(), LISTS_NOBODY)
        ends = [device.act("open").refused, (report := device.act("report", friends)).refused]
        found.append(
            (ends, report.waited, report.spent, [(each.method, each.path, each.body) for each in server.requests])
        )
    assert found[0] == found[1]


@pytest.mark.long
@pytest.mark.attack("page")
@pytest.mark.parametrize("kind", ROSTERS)
def test_no_roster_that_the_python_client_is_given_tells_a_friend(
    kind: str, server: FailingCollector, node: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The huge and hidden names that Python's paired experiment has, given to a browser with as little memory."""
    roster = ROSTERS[kind]()
    digest = "0" * 64 if kind == "a name that is no text" else roster_digest(roster)
    server.changes = {"held": []} | PLAIN_RR
    published = FailingCollector.published(server) | {"n": len(roster), "roster": roster, "roster_digest": digest}
    monkeypatch.setattr(server, "published", lambda: published)
    found = []
    for friends in (["bob", "user3"], ["zed", "user3"]):
        server.requests = []
        device = BrowserDevice(node, server.invitation.to_link(), LISTS_NOBODY)
        ends = [device.act("open").refused, (report := device.report(friends)).get("trouble"), report["waited"]]
        found.append((ends, [(each.method, each.path, each.body) for each in server.requests]))
    assert found[0] == found[1]


def test_what_a_member_was_shown_is_what_is_kept(server: FailingCollector, node: subprocess.Popen[str]) -> None:
    """The community shows one roster in its new epoch, and has another by the time that she agrees."""
    server.requests, server.changes = [], {"held": []} | PLAIN_RR
    device = BrowserDevice(node, server.invitation.to_link())
    device.act("open")
    assert not device.act("report", (1, 2)).refused
    server.changes |= {"epoch": 2} | renamed(12)
    shown = device.call("look", device.where)["value"]["renewal"]
    changes = {each["what"]: each["now"] for each in shown["differences"]}
    assert changes == {"joined": "user12-renamed", "left": "user12"}
    server.changes |= renamed(13)
    assert device.call("renew", shown["community"])["value"]["community"]["epoch"] == 2
    assert [each["name"] for each in device.call("search", device.where, "renamed")["value"]] == ["user12-renamed"]
    assert [each.method for each in server.requests] == ["GET", "PUT", "GET"]


def test_terms_that_she_was_not_shown_are_neither_pinned_nor_drawn_by(
    server: FailingCollector, node: subprocess.Popen[str]
) -> None:
    """Another tab takes a new roster and a larger ε under the same name; this one still shows the old screen."""
    server.changes = {"held": []} | PLAIN_RR
    device = BrowserDevice(node, server.invitation.to_link())
    device.act("open")
    agreed = device.terms()
    louder = [{"name": "standard", "epsilon1": 0, "epsilon2": 4.0}]
    server.changes |= {"epoch": 2, "choices": louder} | renamed(12)
    first = device.call("look", device.where, tab=1)["value"]["renewal"]["community"]
    server.changes |= {"epoch": 3}
    second = device.call("look", device.where, tab=1)["value"]["renewal"]["community"]
    assert device.call("renew", first, tab=1)["trouble"] == "changed"
    assert device.call("renew", second, tab=1)["value"]["community"]["epoch"] == 3
    assert device.call("report", agreed, "standard", [1, 12])["trouble"] == "changed"
    assert device.call("status")["value"]["spent"] == 0
    assert server.bodies == []


@pytest.mark.attack("page")
def test_what_the_ledger_of_another_device_has_drawn_is_not_drawn(
    server: FailingCollector, node: subprocess.Popen[str]
) -> None:
    """A second device with the same link, whose collector denies the report of the first one."""
    server.changes = {"held": []} | PLAIN_RR
    device = BrowserDevice(node, server.invitation.to_link())
    device.act("open")
    device.act("report")
    ledger = device.call("exportLedger")["value"]
    device = BrowserDevice(node, server.invitation.to_link())
    device.act("open")
    device.call("addLedger", ledger)
    assert device.report([TWIN])["trouble"] == "forgotten"
    assert len(server.bodies) == 1


def test_a_report_leaves_at_a_second_that_only_dice_know(server: FailingCollector, node: subprocess.Popen[str]) -> None:
    """The first second and the last within which it may leave; how long she took over her list has no part in it."""
    server.changes = {"held": []} | PLAIN_RR
    waited = []
    for entropy in (0x00, 0xFF):
        device = BrowserDevice(node, server.invitation.to_link(), entropy)
        device.act("open")
        waited.append(device.act("report").waited)
    assert waited == [1.0, LATEST]  # of the Python client


@pytest.mark.parametrize("client", ["Python", "browser"])
def test_an_answer_about_pairs_leaves_at_a_second_that_only_dice_know(
    client: str,
    server: FailingCollector,
    node: subprocess.Popen[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """How long pairs take to count hangs on how many friends there are, and has no part in when the answer leaves."""
    server.changes, server.question = {"held": []} | CLOSED_PAIRS, clique([11])
    waited = set()
    for number in range(4):
        with monkeypatch.context() as patch:
            folder, at = tmp_path / str(number), server.invitation
            device = PythonDevice(folder, at, patch) if client == "Python" else BrowserDevice(node, at.to_link())
            device.act("open")
            device.act("report")
            waited.add(device.act("answer").waited)
    assert waited <= set(range(1, LATEST + 1))
    assert waited != {1}  # the dice say so four times once in 64⁴
