"""The one call: truth where nothing is noisy, honest errors where something is, and clear words for bad input."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.values import wrong

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.estimates import Statistics
from graphldp.estimates.degrees import REPORTED
from graphldp.estimates.rows import number, shown
from graphldp.intervals import LEAST

Flags = NDArray[np.bool_]
RNG = np.random.default_rng(5)
GROUPS = RNG.integers(3, size=240)


def blocks() -> gl.GraphSet:
    """240 users in three groups, mostly friends inside them; a tenth without any."""
    one, two = np.triu_indices(240, 1)
    chance = np.where(GROUPS[one] == GROUPS[two], 0.15, 0.03) * (one >= 24)
    some = np.random.default_rng(6).random(len(one)) < chance
    return gl.GraphSet.from_edges(one[some], two[some], [240]).with_groups(GROUPS)


GRAPH = blocks()
TRUE = GRAPH.to_networkx()[0]


def absent(reports: gl.Reports, gone: Flags) -> gl.Reports:
    """Without the reports of some users, whose lists were empty."""
    return replace(reports, missing=gone)


def exact() -> Statistics:
    """What counts without noise give."""
    return gl.statistics(gl.FriendCounts(np.full(240, np.inf)).randomize(GRAPH, rng=0), groups=["a", "b", "c"])


def test_without_noise_everything_is_true() -> None:
    found = exact()
    groups = dict(enumerate(GROUPS.tolist()))
    nx.set_node_attributes(TRUE, groups, "group")
    mixing = nx.attribute_mixing_matrix(TRUE, "group", mapping={0: 0, 1: 1, 2: 2}, normalized=False)
    assert found["friendships"].value == pytest.approx(TRUE.number_of_edges())
    assert found["density"].value == pytest.approx(nx.density(TRUE))
    assert found["assortativity"].value == pytest.approx(nx.attribute_assortativity_coefficient(TRUE, "group"))
    assert found["friendships between", "a", "b"].value == pytest.approx(mixing[0, 1])
    assert found["friendships between", "b", "a"] is found["friendships between", "a", "b"]
    assert found["friendships between", "c", "c"].value == pytest.approx(mixing[2, 2] / 2)
    internal = np.trace(mixing) / 2
    assert found["E–I index"].value == pytest.approx(1 - 2 * internal / TRUE.number_of_edges())
    assert found["share inside", "a"].value == pytest.approx(mixing[0, 0] / mixing[0].sum())
    sizes = np.bincount(GROUPS)
    assert found["connectedness", "a", "b"].value == pytest.approx(mixing[0, 1] / (sizes[0] * sizes[1]))
    assert found["p of random mixing"].value < 1e-6
    assert all(row.error < 1e-6 for row in found if math.isfinite(row.error))


def test_degrees_without_noise_are_true() -> None:
    found = gl.statistics(gl.NoisyDegrees(np.full(240, np.inf), noise="discrete").randomize(GRAPH, rng=0), bars=[0, 5])
    degrees = GRAPH.degrees
    assert found["share without a friend"].value == pytest.approx((degrees == 0).mean())
    assert found["share with degree", "1 to 5"].value == pytest.approx(((degrees > 0) & (degrees < 6)).mean())
    assert found["share with degree", "6 or more"].value == pytest.approx((degrees > 5).mean())
    assert found["inequality of degrees"].value == pytest.approx(degrees.std() / degrees.mean())
    assert found["2-stars"].value == pytest.approx((degrees * (degrees - 1) / 2).sum())


def test_groups_drawn_at_random_show_no_mixing() -> None:
    """The p-value's law under chance: of 60 random deals about 5 % are below .05."""
    below = 0
    for seed in range(60):
        shuffled = GRAPH.with_groups(np.random.default_rng(seed).permutation(GROUPS))
        found = gl.statistics(gl.FriendCounts(1.0).randomize(shuffled, rng=seed))
        below += found["p of random mixing"].value < 0.05
    assert below <= 9  # of a binomial law: more has a chance of 0.1 %


@pytest.mark.parametrize("mechanism", [gl.NoisyDegrees(1.0, noise="discrete"), gl.FriendCounts(1.0)])
def test_intervals_hold_with_missing_users(mechanism: gl.Mechanism) -> None:
    """Absence that has nothing to do with friends: nearly all intervals hold the truth."""
    held = []
    for seed in range(60):
        gone = np.random.default_rng(seed).random(240) < 0.3
        found = gl.statistics(absent(mechanism.randomize(GRAPH, rng=seed), gone))
        row = found["friendships"]
        assert row.assumed
        assert "of 240 users" in row.basis
        held.append(row.low <= TRUE.number_of_edges() <= row.high)
    assert np.mean(held) > 0.85


def test_absence_that_depends_on_friends_is_seen_in_no_interval_but_theirs() -> None:
    """Who has few friends stays away: the roster's mean degree is missed, that of those who reported is not."""
    shy = GRAPH.degrees < 8
    roster, those = [], []
    for seed in range(40):
        gone = shy & (np.random.default_rng(seed).random(240) < 0.9)
        found = gl.statistics(absent(gl.NoisyDegrees(1.0, noise="discrete").randomize(GRAPH, rng=seed), gone))
        row, told = found["mean degree"], found[f"mean degree{REPORTED}"]
        roster.append(row.low <= GRAPH.degrees.mean() <= row.high)
        those.append(told.low <= GRAPH.degrees[~gone].mean() <= told.high)
        assert "Absence may depend on friends" in row.assumed
        assert not told.assumed
    assert np.mean(those) > 0.8
    assert np.mean(roster) < 0.1


def test_groups_are_weighted_by_who_answers() -> None:
    """A group that answers less counts for as many users as it has."""
    degrees = np.where(GROUPS == 0, 20, 2)
    graph = gl.GraphSet.from_edges([], [], [240]).with_groups(GROUPS)
    blank = gl.NoisyDegrees(np.full(240, np.inf), noise="discrete").randomize(graph, rng=0)
    gone = (GROUPS == 0) & (np.random.default_rng(1).random(240) < 0.7)
    found = gl.statistics(replace(blank, noisy_degree=degrees.astype(np.float64), missing=gone))
    assert found["mean degree"].value == pytest.approx(degrees.mean())
    assert found[f"mean degree{REPORTED}"].value == pytest.approx(degrees[~gone].mean())


def test_small_groups_and_communities_are_not_shown_and_it_is_said() -> None:
    groups = np.where(np.arange(240) < LEAST - 1, 2, GROUPS % 2)
    reports = gl.FriendCounts(1.0).randomize(GRAPH.with_groups(groups), rng=0)
    found = gl.statistics(reports, groups=["a", "b", "tiny"])
    assert not any("tiny" in (row.of, row.to) for row in found)
    assert found.notes == (f"Not shown: tiny, of whom fewer than {LEAST} reported.",)
    assert "friendships between" in {row.name for row in found}
    everybody = gl.statistics(reports, groups=["a", "b", "tiny"], least=2)
    assert any("tiny" in (row.of, row.to) for row in everybody)


def test_a_group_that_is_silent_is_seen_by_the_others() -> None:
    gone = GROUPS == 2
    reports = gl.FriendCounts(np.full(240, np.inf)).randomize(GRAPH, rng=0)
    silent = replace(reports, missing=gone, indptr=np.zeros(241, np.int64), indices=np.zeros(0, np.int32))
    found = gl.statistics(silent, groups=["a", "b", "c"])
    true = exact()
    assert found["friendships between", "a", "b"].value == pytest.approx(true["friendships between", "a", "b"].value)
    assert found.notes[1] == "Not shown: indices of mixing. Hardly anybody of some groups reported."
    assert not any("c" in (row.of, row.to) or row.name == "E–I index" for row in found)


def test_indices_of_mixing_hold_where_few_of_a_group_reported() -> None:
    """What is inside such a group counts, though no row shows it: 13 of 60 reported, two to nine of each group."""
    groups = np.arange(60) % 3
    one, two = np.triu_indices(60, 1)
    some = np.random.default_rng(0).random(len(one)) < np.where(groups[one] == groups[two], 0.25, 0.08)
    graph = gl.GraphSet.from_edges(one[some], two[some], [60]).with_groups(groups)
    true = 1 - 2 * (groups[one[some]] == groups[two[some]]).mean()
    held = []
    for seed in range(60):
        gone = np.random.default_rng(seed).permutation(60) >= 13
        found = gl.statistics(absent(gl.FriendCounts(1.0).randomize(graph, rng=seed), gone))
        held += [row.low <= true <= row.high for row in found.about("E–I index")]
    assert len(held) > 50
    assert np.mean(held) > 0.85


def test_many_communities_and_all_of_them() -> None:
    graphs = gl.synthetic.threads(num_graphs=12, seed=0)
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(graphs, rng=3)
    names = [f"school {number}" for number in range(12)]
    found = gl.statistics(reports, communities=names)
    assert {row.community for row in found} == {"all", *names}
    each = [found.of_community(name)["friendships"] for name in names]
    assert found["friendships"].value == pytest.approx(sum(row.value for row in each))
    assert found["friendships"].error == pytest.approx(math.sqrt(sum(row.error**2 for row in each)))
    apart = gl.statistics([reports[[place]] for place in range(12)], communities=names)
    assert apart.rows == found.rows


@pytest.mark.parametrize("came", [0, 1])
@pytest.mark.parametrize("mechanism", [gl.NoisyDegrees(1.0, noise="discrete"), gl.FriendCounts(1.0)])
def test_a_community_of_which_nobody_or_one_has_reported_stands_among_others(
    mechanism: gl.Mechanism, came: int
) -> None:
    graphs = gl.synthetic.threads(num_graphs=3, seed=0)
    graphs = graphs.with_groups(np.arange(graphs.num_users) % 2)
    gone = np.arange(graphs.num_users) >= graphs.graph_ptr[2] + came
    found = gl.statistics(absent(mechanism.randomize(graphs, rng=3), gone))
    assert {row.community for row in found} == {"all", "0", "1"}
    assert found.notes[0] == "Not shown: 1 community with fewer than 5 reports."


def test_rows_as_tables() -> None:
    found = exact()
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(rows) == len(found) == len(found.to_pandas())
    assert rows[0]["name"] == "friendships"
    assert rows[-1]["low"] == ""  # a p-value has no interval
    assert found.to_records()[-1]["low"] is None
    assert "friendships between a and b" in str(found)
    assert "friendships between a and b" in found._repr_html_()
    assert found.plot().axes


def test_dealt_groups_say_nothing_of_mixing() -> None:
    reports = gl.FriendCounts(1.0, dealt=4).randomize(replace(GRAPH, attributes=None), rng=0)
    assert {row.name for row in gl.statistics(reports)} == {"friendships", "density", "mean degree"}


@pytest.mark.parametrize("epsilon", [1e-3, 1e-6])
def test_too_little_epsilon_says_so_in_words(epsilon: float) -> None:
    """Also of an estimate far outside of what is possible: its interval holds all of that."""
    found = gl.statistics(gl.NoisyDegrees(epsilon, noise="discrete").randomize(GRAPH, rng=0))
    assert found["share without a friend"].vague
    assert found["friendships"].vague
    assert shown(found["friendships"]).endswith("too noisy to tell")


def test_numbers_are_written_as_people_write_them() -> None:
    assert [number(value) for value in (0.123456, 12.34, 99.96, 999.4, 999.6, -999.9, 1234.5, 0.00001)] == [
        *("0.123", "12.3", "100", "999", "1,000", "-1,000", "1,234", "0"),
    ]


def test_bad_input() -> None:
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(GRAPH, rng=0)
    with pytest.raises(ParameterError, match="'reports' parameter of statistics must be Reports"):
        gl.statistics(wrong([GRAPH]))
    with pytest.raises(ParameterError, match="Got 'NoneType' instead"):
        gl.statistics(wrong(None))
    for least in (0, True, 2.5):
        with pytest.raises(ParameterError, match="'least' parameter"):
            gl.statistics(reports, least=wrong(least))
    for bars in ([], [3, 2], [1.5]):
        with pytest.raises(ParameterError, match="'bars' parameter"):
            gl.statistics(reports, bars=wrong(bars))
    with pytest.raises(ParameterError, match="'communities' parameter"):
        gl.statistics(reports, communities=["a", "b"])
    with pytest.raises(ParameterError, match="'groups' parameter"):
        gl.statistics(reports, groups=["a", "a", "b"])
    one = gl.NoisyDegrees(1.0).randomize(gl.GraphSet.from_edges([], [], [1]), rng=0)
    with pytest.raises(DataError, match="two users or more"):
        gl.statistics(one)
    with pytest.raises(DataError, match="reports of 5 users"):
        gl.statistics(absent(reports, np.arange(240) > 1))
    with pytest.raises(ParameterError, match="There is no row 'triangles'"):
        gl.statistics(reports)["triangles"]


def test_a_group_that_nobody_is_in_changes_nothing() -> None:
    reports = gl.FriendCounts(1.0).randomize(GRAPH.with_groups(GROUPS, num_groups=5), rng=0)
    assert reports.friend_counts is not None
    three = replace(reports, friend_counts=reports.friend_counts[:, :3], attributes=GRAPH.attributes)
    found, same = gl.statistics(reports), gl.statistics(three)
    assert len(found) == len(same)
    whole = ("friendships", "density", "mean degree", "p of random mixing")  # sums that have the noise of all counts
    for row in same:
        if row.name not in whole:
            twin = found[row.name, row.of, row.to]
            assert twin.value == pytest.approx(row.value)
            assert twin.error == pytest.approx(row.error)
    assert all(math.isfinite(row.error) for row in found if row.name != "p of random mixing")


@pytest.mark.parametrize("mechanism", [gl.NoisyDegrees(1.0, noise="discrete"), gl.FriendCounts(1.0)])
@pytest.mark.parametrize("gone", [0.0, 0.3])
def test_a_number_of_a_group_that_nobody_has_changes_nothing(mechanism: gl.Mechanism, gone: float) -> None:
    """Groups 0 and 2 are there, and 1 is not: as in a community that lacks a group of another."""
    missing = np.random.default_rng(1).random(240) < gone
    found = gl.statistics(absent(mechanism.randomize(GRAPH.with_groups(GROUPS % 2 * 2), rng=0), missing))
    assert all(math.isfinite(row.error) for row in found if row.name != "p of random mixing")
    assert found["friendships"].low < TRUE.number_of_edges() < found["friendships"].high


def test_communities_that_lack_each_others_groups_add_up() -> None:
    two = gl.synthetic.barabasi_albert(60, 3, 2, seed=1)
    two = two.with_groups(np.concatenate((np.arange(60) % 2 * 2, 1 + np.arange(60) % 2)))
    found = gl.statistics(gl.FriendCounts(np.full(120, np.inf)).randomize(two, rng=0))
    each = [found.of_community(name)["friendships"].value for name in "01"]
    assert found["friendships"].value == pytest.approx(sum(each)) == pytest.approx(two.degrees.sum() / 2)


def test_groups_of_which_one_has_everybody_have_no_assortativity() -> None:
    one = GRAPH.with_groups(np.zeros(240, np.int64), num_groups=3)
    found = gl.statistics(gl.FriendCounts(1.0).randomize(one, rng=0))
    assert found["E–I index"].value == -1
    assert "assortativity" not in {row.name for row in found}
    assert found["p of random mixing"].value == 1


def test_nothing_rests_on_one_report() -> None:
    """Its interval would say that everybody is like her."""
    lone = gl.GraphSet.from_edges([1, 2, 3, 4], [2, 3, 4, 5], [1, 6])
    found = gl.statistics(gl.NoisyDegrees(1.0, noise="discrete").randomize(lone, rng=0), least=1)
    assert {row.community for row in found} == {"all", "1"}
    whole = gl.NoisyDegrees(1.0, noise="discrete").randomize(GRAPH, rng=0)
    with pytest.raises(DataError, match="reports of 2 users"):
        gl.statistics(absent(whole, np.arange(240) > 0), least=1)


def test_surveys_by_different_groups_are_refused() -> None:
    surveys = [gl.FriendCounts(1.0).randomize(GRAPH.with_groups(GROUPS % n), rng=0) for n in (2, 3)]
    with pytest.raises(DataError, match="must be by the same groups"):
        gl.statistics(surveys)
