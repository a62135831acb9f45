"""FriendCounts: its exact law through the code that draws it, and what it draws."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.values import some

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.mechanisms.attributes import friend_counts
from graphldp.mechanisms.drawing.rows import UserRows

from ..counting import assert_counts, copies
from ..exact import E1, Bits, neighbouring

ALARM = 1e-6
REACH = 4  # noises from −4 to 4; an outcome that needs more has the ratio of one within reach


def star(bits: Bits) -> gl.GraphSet:
    """User 0 with this list, among others who have none."""
    friends = [place + 1 for place, bit in enumerate(bits) if bit]
    return gl.GraphSet.from_edges([0] * len(friends), friends, [len(bits) + 1], directed=True)


def law(bits: Bits, groups: Any, e: Fraction, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[int, ...], Fraction]:
    """The law of one report: the code's own counts with every noise within reach, each with its exact weight."""
    graph = star(bits).with_groups(groups)
    noises = list(product(range(-REACH, REACH + 1), repeat=graph.num_groups))
    chosen = np.repeat(np.array(noises, np.float64), graph.num_users, axis=0)
    monkeypatch.setattr(friend_counts, "count_noise", lambda *_: chosen)
    sent = some(gl.FriendCounts(1.0).randomize(copies(graph, len(noises)), rng=0).friend_counts)[:: graph.num_users]
    scale = (e - 1) / (e + 1)
    chances = (math.prod((scale / e ** abs(z) for z in noise), start=Fraction(1)) for noise in noises)
    return {tuple(map(int, row)): chance for row, chance in zip(sent.tolist(), chances, strict=True)}


@pytest.mark.parametrize("groups", [(0, 0, 1), (0, 1, 2), (1, 0, 0, 1), (2, 0, 1, 2)], ids=str)
def test_one_friend_costs_epsilon_however_many_groups_there_are(
    groups: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest ratio over neighbouring lists is e^ε: no more, and no less."""
    laws = {bits: law(bits, groups, E1, monkeypatch) for bits in product((0, 1), repeat=len(groups) - 1)}
    worst = Fraction(0)
    for one, two in neighbouring(len(groups)):
        for sent in laws[one].keys() & laws[two].keys():
            worst = max(worst, laws[one][sent] / laws[two][sent])
    assert worst == E1


def test_the_noise_has_the_law_it_claims() -> None:
    """Counts of all groups' noises and of pairs of them: independent, and discrete Laplace; seeded."""
    graphs = copies(star((1, 0)).with_groups([0, 1, 2]), 20_000)
    sent = some(gl.FriendCounts(0.8).randomize(graphs, rng=3).friend_counts)[::3]
    reach = np.arange(-8, 9)
    noise = np.clip(sent - [0, 1, 0], -8, 8)  # the ends stand for all beyond them
    chances = stats.dlaplace.pmf(reach, 0.8)
    chances[[0, -1]] = stats.dlaplace.cdf(-8, 0.8)
    for column in noise.T:
        assert_counts(np.array([(column == k).sum() for k in reach]), chances, ALARM)
    for one, two in ((0, 1), (0, 2), (1, 2)):
        pairs = [(noise[:, one] == a) & (noise[:, two] == b) for a, b in product(reach, repeat=2)]
        assert_counts(np.array([each.sum() for each in pairs]), np.outer(chances, chances).ravel(), ALARM)


def test_two_users_have_noise_of_their_own() -> None:
    graphs = gl.GraphSet.from_edges([], [], [400]).with_groups(np.arange(400) % 2)
    noise = some(gl.FriendCounts(0.1).randomize(graphs, rng=0).friend_counts)
    assert len(np.unique(noise, axis=0)) > 350
    degrees = some(gl.NoisyDegrees(0.1, noise="discrete").randomize(graphs, rng=0).noisy_degree)
    assert (noise[:, 0] != degrees).mean() > 0.9


def test_friends_are_counted_by_their_group() -> None:
    """At a huge ε the counts are exact, in every graph of a set; an empty group has nobody."""
    graphs = gl.GraphSet.from_edges([0, 0, 0, 4, 5], [1, 2, 3, 5, 6], [4, 3]).with_groups(
        [0, 1, 1, 0, 2, 0, 1], num_groups=4
    )
    sent = some(gl.FriendCounts(200.0).randomize(graphs, rng=0).friend_counts)
    wanted = [[1, 2, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]]
    assert sent.tolist() == wanted


def test_what_is_promised() -> None:
    epsilon = np.array([np.inf, 0.5, 1.0])
    reports = gl.FriendCounts(epsilon).randomize(star((1, 1)).with_groups([0, 1, 1]), rng=0)
    assert reports.guarantee.epsilon.tolist() == [np.inf, 0.5, 1.0]
    assert reports.noisy_degree is None
    assert reports.degrees.tolist() == [2, 0, 0]
    assert some(reports.friend_counts)[0].tolist() == [0, 2]
    assert reports.subset([0]).friend_counts is not None
    assert reports.origin.name == "friend-counts"


def test_counts_are_kept_in_a_file(tmp_path: Any) -> None:
    reports = gl.FriendCounts(1.0).randomize(star((1, 0)).with_groups([0, 1, 1]), rng=0)
    reports.save(tmp_path / "reports.npz")
    again = gl.Reports.load(tmp_path / "reports.npz")
    assert np.array_equal(some(again.friend_counts), some(reports.friend_counts))


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        (star((1, 0)), r"needs public groups: graphs\.with_groups"),
        (star((1, 0)).with_groups([0, 0, 0]), "two groups or more"),
        (star((1, 0)).with_groups([0, 1, 1], num_groups=4), "at most 3 groups, one for each user .* Got 4 instead"),
    ],
)
def test_without_groups_there_is_nothing_to_count(graphs: gl.GraphSet, message: str) -> None:
    with pytest.raises(DataError, match=message):
        gl.FriendCounts(1.0).randomize(graphs, rng=0)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.zeros((3, 3)), r"shape \[users, groups\]"),
        (np.full((3, 2), np.nan), "finite"),
        (np.zeros((3, 2), np.int64), "a row of numbers"),
        (np.zeros(3), "a row of numbers for each of 3 users"),
    ],
)
def test_reports_refuse_counts_that_do_not_fit(counts: Any, message: str) -> None:
    columns = star((0, 0)).with_groups([0, 1, 1]).attributes
    empty = (np.zeros(4, np.int64), np.zeros(0, np.int32), np.array([0, 3]))
    with pytest.raises(DataError, match=message):
        gl.Reports(*empty, budget=gl.Budget(1.0, 0.0), attributes=columns, friend_counts=counts)


def test_a_draw_in_parts_is_the_draw() -> None:
    """A user's noise depends on nobody else."""
    rows = UserRows.of(star((1, 0, 1)))
    whole = friend_counts.count_noise(rows, np.full(4, 0.5), 3, np.array([1, 2], np.uint64))
    some_rows = UserRows(rows.indptr[:3], rows.indices, rows.user[:2], rows.n[:2], rows.graph[:2])
    assert np.array_equal(
        friend_counts.count_noise(some_rows, np.full(2, 0.5), 3, np.array([1, 2], np.uint64)), whole[:2]
    )


def test_users_are_dealt_by_seed_and_graph_alone() -> None:
    """The same bits with other graphs beside it, and groups of one size; the reports say how they were dealt."""
    graphs = gl.synthetic.threads(num_graphs=6, seed=0)
    mechanism = gl.FriendCounts(1.0, dealt=5)
    whole, part = mechanism.randomize(graphs, rng=3), mechanism.randomize(graphs.subset(np.array([4])), rng=3)
    alone = whole.subset(np.array([4]))
    assert np.array_equal(some(alone.groups), some(part.groups))
    assert np.array_equal(some(alone.friend_counts), some(part.friend_counts))
    assert np.ptp(np.bincount(some(part.groups), minlength=5)) <= 1
    assert dict(whole.origin.parameters) == {"epsilon": 1.0, "dealt": 5, "least": 1.0}
    epsilon = np.linspace(0.5, 2.0, graphs.num_users)
    assert gl.FriendCounts(epsilon, dealt=5).randomize(graphs, rng=3).origin.parameters["least"] == 0.5


def test_a_deal_beside_groups_is_refused() -> None:
    graphs = gl.synthetic.threads(num_graphs=2, seed=0)
    with pytest.raises(DataError, match="counts by both cost 2ε"):
        gl.FriendCounts(1.0, dealt=5).randomize(graphs.with_groups(np.arange(graphs.num_users) % 3), rng=0)


@pytest.mark.parametrize("dealt", [1, 0, 2.5, True])
def test_what_is_no_deal_is_refused(dealt: Any) -> None:
    with pytest.raises(ParameterError, match="'dealt' parameter of FriendCounts must be a whole number from 2"):
        gl.FriendCounts(1.0, dealt=dealt)
