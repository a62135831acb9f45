"""Friends counted by public group: what is asked, what is drawn, and whose groups count."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphldp.audit.protocol import ROSTER, FailingCollector
from graphldp.audit.traffic import Given
from graphldp.client.explain import conclude, in_words
from graphldp.client.protocol import Client
from graphldp.client.questions import Consent
from graphldp.client.sampling import counting, sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.errors import ClientError, DataError, FormatError, WireError
from graphldp.wire import Report, decode

ONE = 10**6
GROUPS = [number % 2 for number in range(len(ROSTER))]
TERMS: dict[str, Any] = {
    "mechanism": "friend-counts",
    "group_names": ["even", "odd"],
    "groups": GROUPS,
    "choices": [{"name": "standard", "epsilon1": 1.0, "epsilon2": 0}],
}


def joined(tmp_path: Path, server: FailingCollector, *noises: int, **changes: Any) -> Client:
    server.changes = TERMS | changes
    client = Client(tmp_path / "home", pauses=(), timeout=60.0, tick=0.0, _entropy=Given(*noises))
    client.join(server.invitation, accept=2 * ONE)
    return client


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    path = tmp_path / "friends.txt"
    path.write_text("\n".join(ROSTER[number] for number in (10, 11, 12, 14)))
    return path


def test_one_noise_for_each_group_in_their_order(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    client = joined(tmp_path, server, 5, -9)
    drawn = client.report("audit", friends_file=friends)
    assert drawn.report.counts == (8, -8)  # three even friends and an odd one
    assert [decode(body).counts for body in server.bodies] == [(8, -8)]
    assert client.status()[0].spent == ONE  # once, however many groups there are


def test_counts_stay_within_the_wires_range() -> None:
    for noise, told in ((1 << 40, (1 << 27) - 1), (-(1 << 40), -(1 << 27))):
        report = sampler.draw(
            [1],
            mechanism="friend-counts",
            n=3,
            user=0,
            epsilon1=1.0,
            epsilon2=0.0,
            groups=[0, 1, 1],
            _entropy=Given(noise, noise),
        )
        assert report.counts == (told, told)


class Refused(Entropy):
    """Nothing may be drawn from it."""

    def __init__(self) -> None:
        super().__init__(_source=lambda size: pytest.fail("something was drawn"))


@pytest.mark.parametrize(
    "given",
    [
        {"groups": None},
        {"groups": [0, 1]},
        {"groups": [0, 1, 0, 1]},
        {"groups": [0, 2, 2]},
        {"groups": [0, -1, 0]},
        {"groups": [0, 0, 0]},
        {"groups": [0.0, 1.0, 0.0]},
        {"groups": [[0], [1], [0]]},
        {"epsilon1": 0.0},
        {"epsilon2": 0.5},
        {"epsilon1": 17.0},
    ],
)
def test_what_cannot_be_counted_is_refused_before_anything_is_drawn(given: dict[str, Any]) -> None:
    fields: dict[str, Any] = {"n": 3, "user": 0, "epsilon1": 1.0, "epsilon2": 0.0, "groups": [0, 1, 1]}
    with pytest.raises((DataError, WireError)):
        sampler.draw([1], mechanism="friend-counts", **(fields | given), _entropy=Refused())


def test_the_noise_is_independent_of_the_counts() -> None:
    """From the same coins, whoever the friends are: the counts differ by what is true and by nothing else."""
    groups = [0, 1, 1, 0, 2]
    for some, others in (([], [1, 2, 3]), ([3], [4]), ([1, 2, 3, 4], [2])):
        noisy = [
            counting.noisy_counts(each, groups, Fraction(1, 2), Entropy(_source=_bytes())) for each in (some, others)
        ]
        true = [counting.true_counts(each, groups, 3) for each in (some, others)]
        assert np.array_equal(np.diff(noisy, axis=0), np.diff(true, axis=0))


def _bytes() -> Any:
    rng = np.random.default_rng(5)
    return lambda size: rng.bytes(size)


def test_the_user_is_told_what_is_asked(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    said: list[str] = []

    def ask(question: Consent) -> bool:
        said.extend([*question.of_list(), *question.in_words()])
        return False

    with pytest.raises(ClientError, match="You said no"):
        joined(tmp_path, server).report("audit", friends_file=friends, approve=ask)
    text = "\n".join(said)
    assert "how many of your friends are in each of 2 groups" in text
    assert "Your friends by group: even: 3, odd: 1. These true numbers stay on this device." in text
    assert server.bodies == []


def test_what_left_is_explained() -> None:
    report = Report("friend-counts", 40, 7, 1.0, 0.0, None, np.zeros(0, np.int32), counts=(4, -1))
    assert "how many friends you have in each group: even: 4, odd: -1." in "\n".join(
        in_words(report, 10, ["even", "odd"])
    )
    assert (conclude(report).epsilon, conclude(report).listed_factor) == (1.0, None)


@pytest.mark.attack("device")
def test_the_groups_that_were_pinned_count(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    """Put one friend alone into a group of `friend-counts`, after users have joined.

    The collector puts one friend into a group of her own, after the user has joined.
    """
    client = joined(tmp_path, server, 0, 0)
    server.changes |= {"groups": [int(number == 11) for number in range(len(ROSTER))]}
    with pytest.raises(ClientError, match="publishes something else by now"):
        client.join(server.invitation, accept=2 * ONE)
    assert client.report("audit", friends_file=friends).report.counts == (3, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"group_names": ["even", "strange"]},
        {"group_names": ["odd", "even"]},
        {"groups": GROUPS[::-1]},
    ],
)
def test_another_partition_is_another_community(
    tmp_path: Path, server: FailingCollector, friends: Path, change: dict[str, Any]
) -> None:
    client = joined(tmp_path, server, 0, 0)
    drawn = client.report("audit", friends_file=friends)
    server.changes |= change
    with pytest.raises(ClientError, match="publishes something else by now"):
        client.join(server.invitation, accept=2 * ONE)
    assert client.report("audit", friends_file=friends, resend=True).body == drawn.body
    assert client.status()[0].spent == ONE


@pytest.mark.attack("device")
def test_a_new_partition_is_shown_before_it_is_taken(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    """Count one list by two partitions at one ε."""
    client = joined(tmp_path, server, 0, 0, 0, 0)
    client.report("audit", friends_file=friends)
    server.epoch, said = 2, list[str]()
    server.changes |= {"groups": [1 - GROUPS[0], *GROUPS[1:]], "group_names": ["even", "odd"]}

    def ask(question: Consent) -> bool:
        said.extend([*question.of_list(), *question.in_words()])
        return True

    drawn = client.report("audit", friends_file=friends, new_epoch=True, approve=ask)
    assert "In another group (1): user0." in said
    assert drawn.report.counts == (3, 1)
    assert client.status()[0].spent == 2 * ONE  # counts by a second partition are a second report


def test_groups_other_than_the_pinned_ones_are_not_counted_by(
    tmp_path: Path, server: FailingCollector, friends: Path
) -> None:
    client = joined(tmp_path, server, 0, 0)
    (path,) = tmp_path.glob("home/memberships/*/roster-*.json")
    kept = json.loads(path.read_text())
    for groups in (GROUPS[::-1], None, GROUPS[:-1], [0] * len(GROUPS), "01" * 20):
        path.write_text(json.dumps(kept | {"groups": groups}))
        with pytest.raises(FormatError, match="damaged"):
            client.report("audit", friends_file=friends)
    assert server.bodies == []


@pytest.mark.attack("device")
@pytest.mark.parametrize(
    "change",
    [
        {"groups": None},
        {"groups": GROUPS[:-1]},
        {"groups": [2 * group for group in GROUPS]},
        {"group_names": ["even"], "groups": [0] * len(GROUPS)},
        {"group_names": ["even", "even"]},
        {"group_names": [str(number) for number in range(41)], "groups": GROUPS},
    ],
)
def test_groups_that_are_no_partition_are_not_joined(
    tmp_path: Path, server: FailingCollector, change: dict[str, Any]
) -> None:
    """Publish groups that overlap, are empty, or are more than users."""
    with pytest.raises(WireError):
        joined(tmp_path, server, **change)
    assert not list(tmp_path.glob("home/memberships/*/invitation.json"))
