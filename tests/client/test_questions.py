from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.values import some

from graphldp.audit.protocol import ROSTER, USER, FailingCollector
from graphldp.audit.traffic import CLOSED_PAIRS
from graphldp.client.explain import in_words
from graphldp.client.protocol import Client
from graphldp.client.questions import Consent, Plan, Renewal
from graphldp.errors import ClientError, SendError
from graphldp.wire import roster_digest, spoken
from graphldp.wire.deal import GROUPS, dealt_groups, dealt_names

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
        asked = [question for question in self if isinstance(question, kind)]
        return [line for question in asked for line in (*question.of_list(), *question.in_words())]


def joined(tmp_path: Path, server: FailingCollector, accept: int | None = 2 * ONE, **options: Any) -> Client:
    client = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0)
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
    assert "The choice 'standard' is, in words: fairly private. It costs ε = 1. You have spent 0 of 5 so far." in words


def test_the_plan_says_what_epsilon_allows_before_anybody_agrees(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    asked = Asked()
    joined(tmp_path, server).report("audit", friends_file=friends, approve=asked)
    words = asked.words(Plan)
    assert any(line.startswith("ε = 1: the odds that one given person is your friend change by") for line in words)
    assert "One friendship, 10% likely beforehand, becomes 3.9% to 23.2% likely." in words
    assert any("both together have 2: a factor of 7.389, and 10% beforehand becomes 45.1% at most" in w for w in words)
    assert "Your list is not kept here after the draw; the report is, and the note of what you spent." in words
    assert any("a few seconds more or less over your list hardly show in it, many minutes do" in line for line in words)


@pytest.mark.parametrize(
    ("mechanism", "choice", "said"),
    [
        ("dprr", offer(0.5, 0.5), "A noisy number leaves, and a list: by chance"),
        ("rr", offer(0, 1.0), "A noisy list leaves this device: by chance"),
        ("noisy-degrees", offer(1.0, 0), "A noisy number leaves this device, and your list stays."),
    ],
)
def test_the_plan_says_what_leaves(
    tmp_path: Path, server: FailingCollector, friends: Path, mechanism: str, choice: dict[str, Any], said: str
) -> None:
    server.changes = {"mechanism": mechanism, "choices": [choice]}
    asked = Asked()
    joined(tmp_path, server).report("audit", friends_file=friends, approve=asked)
    assert any(said in line for line in asked.words(Plan))


@pytest.mark.parametrize("mechanism", ["hub-counts", "hub-lists"])
@pytest.mark.parametrize(("start", "said"), [(12, "is 12 or more, you are"), (0, "Nearly everybody here"), (None, "")])
def test_a_threshold_that_everybody_passes_is_said_to_be_one(
    tmp_path: Path, server: FailingCollector, friends: Path, mechanism: str, start: int | None, said: str
) -> None:
    epsilon2 = 0.0 if mechanism == "hub-counts" else 0.5
    server.changes = {"mechanism": mechanism, "hub_from": start, "answered": [], "choices": [offer(0.5, epsilon2)]}
    asked = Asked()
    joined(tmp_path, server).report("audit", friends_file=friends, approve=asked)
    words = asked.words(Plan)
    assert [said in line for line in words if "The ε below covers both." in line] == [True] * bool(said)
    assert any("--decline' deletes the list" in line for line in words) == (mechanism == "hub-counts" and bool(said))


@pytest.mark.parametrize("others", [1, 2])
def test_a_group_of_one_person_is_said_to_be_one(
    tmp_path: Path, server: FailingCollector, friends: Path, others: int
) -> None:
    """Beside the user, who is in the group too."""
    groups = [int(number == USER or number < others) for number in range(len(ROSTER))]
    server.changes = {"mechanism": "friend-counts", "group_names": ["many", "few"], "groups": groups}
    server.changes |= {"choices": [offer(0.5, 0)]}
    asked = Asked()
    joined(tmp_path, server).report("audit", friends_file=friends, approve=asked)
    lone = [line for line in asked.words(Plan) if line.startswith("These groups hold one person beside you: few.")]
    assert len(lone) == (others == 1)


def dealt(epoch: int) -> dict[str, Any]:
    """What a community with witnesses publishes in an epoch."""
    groups = dealt_groups("audit", epoch, ROSTER, GROUPS)
    return {
        **{"mechanism": "friend-counts", "choices": [offer(0.5, 0)], "dealt": True, "epoch": epoch},
        **{"group_names": list(dealt_names(GROUPS)), "groups": groups},
    }


def test_dealt_groups_are_said_to_be_nobodys_choice(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    """In the question, and where the next round deals anew."""
    server.changes = dealt(1)
    asked = Asked()
    client = joined(tmp_path, server)
    assert len(some(client.report("audit", friends_file=friends, approve=asked).report.counts)) == GROUPS
    (line,) = [line for line in asked.words(Plan) if "12 groups" in line]
    assert "12 noisy numbers leave this device, one for each group, and no name." in line
    assert "a chance that nobody chooses" in line
    server.changes = dealt(2)
    client.report("audit", friends_file=friends, new_epoch=True, approve=asked)
    assert any(line.startswith("In another group (") for line in asked.words(Renewal))
    assert not any("dealt" in line for line in asked.words(Renewal))
    server.changes = dealt(3) | {"dealt": False}
    client.report("audit", friends_file=friends, new_epoch=True, approve=asked)
    assert "Groups are dealt by chance: no; it was yes." in asked.words(Renewal)


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
    words = asked.words(Plan)
    assert "The choice 'open' publishes this list as it is. Nothing protects it." in words
    assert "The report is kept here, and it is your list." in words
    assert not [line for line in words if "not kept here" in line]


@pytest.mark.attack("device")
def test_a_new_epoch_shows_every_difference(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    """A new epoch with another ε under an old name, another roster or slot."""
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
    promise = (
        "Whoever asks holds your report beside your name. Reports are kept for 90 days, and what was learned from them "
        "no longer either. 'graphldp client withdraw"
    )
    assert any(line.startswith(promise) and "backups, exports or models" in line for line in asked.words(Plan))
    server.epoch, server.changes = 2, {"retention_days": 1}
    client.report("audit", friends_file=friends, new_epoch=True, approve=asked)
    was = "for 90 days, and what was learned from them no longer either"
    assert f"Reports are kept: for 1 day, and what was learned from them for longer; it was {was}." in asked.words(
        Renewal
    )


@pytest.mark.attack("device")
def test_who_reads_noisy_lists_is_said_before_they_are_drawn(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    """A first round that all members read, and a list that waits on the device."""
    server.changes = CLOSED_PAIRS | {"answer_until": "2999-12-31"}
    client, asked = joined(tmp_path, server), Asked()
    drawn = client.report("audit", friends_file=friends, approve=asked)
    words = " ".join(asked.words(Plan))
    for said in (
        "every member is sent everybody's noisy list, yours too. Nobody can call that back",
        "how many pairs of your friends are friends, by the noisy lists of all. The ε below covers all of it.",
        "until you have answered it, and until 2999-12-31 at most",
        "costs ε = 1",
        "If hers has the same ε, both together have 2",
        "'--decline' deletes the list",
    ):
        assert said in words
    shown = " ".join(in_words(drawn.report, len(drawn.body)))
    assert "You are asked again" in shown
    assert "In this report being listed changes a person's odds by 1.492" in shown  # e^0.4: what the list costs
    server.epoch, server.changes = 2, server.changes | {"answer_until": "2999-12-30"}
    client.report("audit", friends_file=friends, new_epoch=True, approve=asked)
    assert "Lists wait for a second question until: 2999-12-30; it was 2999-12-31." in asked.words(Renewal)


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


@pytest.mark.attack("device")
@pytest.mark.parametrize("epsilons", [(0.5, 0.500001), (None, None)])
def test_what_was_accepted_holds_in_every_later_epoch(
    tmp_path: Path, server: FailingCollector, friends: Path, epsilons: tuple[float | None, float | None]
) -> None:
    """A new epoch above what the user accepted."""
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


INQUIRY = {
    "purpose": "[red]To learn[/red] how we are connected.",
    "operator": "Dörte, class 7b",
    "contact": "<b>doerte</b>@school.example",
}


def test_the_plan_begins_with_who_asks_letter_by_letter(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    server.changes = INQUIRY
    asked = Asked()
    joined(tmp_path, server).report("audit", friends_file=friends, approve=asked)
    (plan,) = asked
    assert plan.in_words(names=False)[:4] == [
        "Who asks: Dörte, class 7b",
        "What for: [red]To learn[/red] how we are connected.",
        "Whom to write to: <b>doerte</b>@school.example",
        "These are the community's own words; nobody has checked them.",
    ]


def test_a_community_that_does_not_say_who_asks_is_said_to_be_one(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    asked = Asked()
    joined(tmp_path, server).report("audit", friends_file=friends, approve=asked)
    assert asked[0].in_words()[0].startswith("Nobody says who asks, what for, or whom to write to.")


@pytest.mark.attack("device")
def test_another_purpose_is_another_round(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    """Another purpose for the same round, and another one that is not shown in the next."""
    server.changes = INQUIRY
    client = joined(tmp_path, server)
    server.changes = INQUIRY | {"purpose": "To sell it."}
    with pytest.raises(ClientError, match="publishes something else by now"):
        client.join(server.invitation, accept=None)
    client.report("audit", friends_file=friends)
    server.epoch, asked = 2, Asked()
    client.report("audit", friends_file=friends, new_epoch=True, approve=asked)
    assert f"What for: To sell it.; it was {INQUIRY['purpose']}." in asked.words(Renewal)


def test_a_refusal_for_good_says_whom_to_ask(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    server.changes = INQUIRY
    client = joined(tmp_path, server)
    server.mishaps = [403]
    with pytest.raises(SendError, match=r"Whom to ask: Dörte, class 7b, <b>doerte</b>@school.example."):
        client.report("audit", friends_file=friends)
