from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphldp.audit.protocol import ROSTER, USER, FailingCollector
from graphldp.client.protocol import Client
from graphldp.client.questions import Consent, Plan, Renewal
from graphldp.errors import ClientError
from graphldp.wire import roster_digest, spoken

ONE = 10**6


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    path = tmp_path / "friends.txt"
    path.write_text("\n".join([*ROSTER[10:13], "a-stranger"]))
    return path


class Asked(list[Consent]):
    """Says yes, and remembers what it was asked."""

    def __call__(self, question: Consent) -> bool:
        self.append(question)
        return True

    def words(self, kind: type[Plan | Renewal]) -> list[str]:
        return [line for question in self if isinstance(question, kind) for line in question.in_words()]


def joined(tmp_path: Path, server: FailingCollector, accept: int | None = 2 * ONE, **options: Any) -> Client:
    client = Client(tmp_path / "home", pauses=(), timeout=5.0, tick=0.0)
    client.join(server.invitation, accept=accept, **options)
    return client


def offer(epsilon1: float | None, epsilon2: float | None, name: str = "standard") -> dict[str, Any]:
    return {"name": name, "epsilon1": epsilon1, "epsilon2": epsilon2}


def test_the_plan_shows_who_matches_and_what_it_costs(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    asked = Asked()
    joined(tmp_path, server).report("audit", friends_file=friends, approve=asked)
    words = asked.words(Plan)
    assert words[0] == "3 of your 4 names are members of 'audit': user10, user11, user12."
    assert f"Roster digest, the same for every member: {spoken(roster_digest(ROSTER))}." in words
    assert "The report costs ε = 1 (choice 'standard'). You have spent 0 of 5 so far." in words


def test_a_list_that_matches_nobody_is_asked_about_by_its_likely_cause(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    friends.write_text("user10@a.example\nuser11@b.example\n")
    asked = Asked()
    joined(tmp_path, server).report("audit", friends_file=friends, approve=asked)
    assert asked[0].asks == "Report that you have no friends here?"
    assert "0 of your 2 names are members of 'audit'." in asked.words(Plan)
    assert any("but for the host" in line for line in asked.words(Plan))


def test_a_public_list_is_called_one_before_it_is_drawn(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    server.changes = {"choices": [offer(None, None, "open")]}
    asked = Asked()
    joined(tmp_path, server, accept=None).report("audit", friends_file=friends, approve=asked)
    assert "The choice 'open' publishes this list as it is. Nothing protects it." in asked.words(Plan)


def test_a_new_epoch_shows_every_difference(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    server.changes = {"choices": [offer(0.5, 0.5), offer(0.1, 0.1, "low")]}
    client = joined(tmp_path, server)
    names = ["newcomer", *ROSTER[:5], *ROSTER[6:], "another"]
    server.epoch = 2
    server.changes = {
        "name": "Renamed",
        "n": len(names),
        "user": USER + 1,
        "roster": names,
        "choices": [offer(0.5, 0.75), offer(None, None, "open")],
    }
    asked = Asked()
    client.report("audit", friends_file=friends, choice="standard", new_epoch=True, approve=asked)
    moved = ROSTER[:5]
    assert asked.words(Renewal) == [
        "Name: Renamed; it was Audit.",
        "Epoch: 2; it was 1.",
        "Users: 41; it was 40.",
        "Your number: 8; it was 7.",
        "New choice: 'open' (public: the list as it is).",
        "Choice withdrawn: 'low' (ε = 0.2: ε₁ = 0.1, ε₂ = 0.1).",
        "Another ε under the name of a choice: 'standard' (ε = 1.25: ε₁ = 0.5, ε₂ = 0.75); "
        "it was 'standard' (ε = 1: ε₁ = 0.5, ε₂ = 0.5).",
        "New in the roster (2): newcomer, another.",
        "No longer in the roster (1): user5.",
        f"In the roster under another number (5): {', '.join(moved)}.",
        f"Roster digest, the same for every member: {spoken(roster_digest(names))}.",
        "A report for a new epoch costs its full ε again, on top of all that you have sent.",
    ]
    assert [type(each) for each in asked] == [Renewal, Plan]


def test_another_promise_of_how_long_reports_are_kept_is_a_difference(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    server.changes = {"retention_days": 90, "keeps_models": False}
    client = joined(tmp_path, server)
    asked = Asked()
    client.report("audit", friends_file=friends, approve=asked)
    promise = "The collector promises to keep reports for 90 days, and what was learned from them no longer either."
    assert promise in asked.words(Plan)
    server.epoch, server.changes = 2, {"retention_days": 1}
    client.report("audit", friends_file=friends, new_epoch=True, approve=asked)
    was = "for 90 days, and what was learned from them no longer either"
    assert f"Reports are kept: for 1 day, and what was learned from them for longer; it was {was}." in asked.words(
        Renewal
    )


def test_a_new_epoch_of_the_same_community_says_so(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    client = joined(tmp_path, server)
    server.epoch = 2
    asked = Asked()
    client.report("audit", friends_file=friends, new_epoch=True, approve=asked)
    assert asked.words(Renewal)[:2] == ["Epoch: 2; it was 1.", "Nothing else has changed."]


def test_another_mechanism_is_a_difference(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    client = joined(tmp_path, server)
    server.epoch, server.changes = 2, {"mechanism": "rr", "choices": [offer(0, 1.0)]}
    asked = Asked()
    client.report("audit", friends_file=friends, new_epoch=True, approve=asked)
    assert "Mechanism: rr; it was dprr." in asked.words(Renewal)


def test_who_declines_a_new_epoch_keeps_the_old_community(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    client = joined(tmp_path, server)
    server.epoch, server.changes = 2, {"roster": ROSTER[::-1]}
    before = client.status()[1]
    with pytest.raises(ClientError, match="said no"):
        client.report("audit", friends_file=friends, new_epoch=True, approve=lambda question: False)
    assert client.status()[1] == before
    assert client.status()[0].entries == []
    assert server.bodies == []


@pytest.mark.parametrize("epsilons", [(0.5, 0.500001), (None, None)])
def test_what_was_accepted_holds_in_every_later_epoch(
    tmp_path: Path, server: FailingCollector, friends: Path, epsilons: tuple[float | None, float | None]
) -> None:
    client = joined(tmp_path, server, accept=ONE)
    client.report("audit", friends_file=friends)
    server.epoch, server.changes = 2, {"choices": [offer(*epsilons)]}
    with pytest.raises(ClientError, match="you accepted"):
        client.report("audit", friends_file=friends, new_epoch=True)
    with pytest.raises(ClientError, match="new epoch explicitly"):
        client.report("audit", friends_file=friends)
    assert len(server.bodies) == 1
    assert client.status()[0].spent == ONE


def test_the_cap_holds_in_every_later_epoch(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    client = joined(tmp_path, server, cap=2 * ONE - 1)
    client.report("audit", friends_file=friends)
    server.epoch = 2
    asked = Asked()
    with pytest.raises(ClientError, match="lifetime cap"):
        client.report("audit", friends_file=friends, new_epoch=True, approve=asked)
    assert [type(each) for each in asked] == [Renewal]  # no list is shown for a report that cannot be paid
    assert len(server.bodies) == 1
