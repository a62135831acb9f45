"""Points of the frontier: what classifiers reach without a liar, and under her worst lie."""

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError
from graphldp.experiments.one_liar.frontier import LEVELS, VOICES, FrontierPoint, frontier, tried
from graphldp.learn.tables.controls import DegreeControl, SizeControl
from graphldp.learn.tables.robust.levels import Levelled
from graphldp.learn.tables.robust.votes import Votes

TRAIN, TEST = np.arange(70), np.arange(70, 90)


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(90, seed=0), rng=0)


@pytest.fixture(scope="module")
def points(reports: gl.Reports) -> dict[tuple[str, float], FrontierPoint]:
    return {(each.name, each.setting): each for each in frontier(reports, TRAIN, TEST)}


def test_no_lie_makes_a_label_better_and_only_certified_labels_stand(
    points: dict[tuple[str, float], FrontierPoint],
) -> None:
    assert {name for name, _ in points} == {"profile", "votes", "trees", "both"}
    for point in points.values():
        assert point.certified is not None
        assert 0 <= point.worst <= min(point.accuracy, point.certified) <= 1


def test_votes_are_certified_as_their_bound_says(
    reports: gl.Reports, points: dict[tuple[str, float], FrontierPoint]
) -> None:
    """Trying out every lie and the formula for one liar come to the same: the bound is attained."""
    graphs, codes = Levelled.of(reports, LEVELS), np.unique(np.asarray(reports.labels), return_inverse=True)[1]
    votes, asked = Votes.fit(graphs.subset(TRAIN), codes[TRAIN], 2), graphs.subset(TEST)
    withstood = votes.withstood(asked, votes.scores(asked).argmax(axis=1), 0.0)
    assert points["votes", 0.0].certified == pytest.approx((withstood > 0).mean())


def test_a_louder_profile_is_certified_less_often(points: dict[tuple[str, float], FrontierPoint]) -> None:
    """One seed."""
    certified = [points["both", voice].certified or 0.0 for voice in VOICES]
    assert certified[0] > certified[-1]
    assert (points["profile", 0.0].certified or 0.0) < certified[0]


def test_n_is_out_of_reach_and_degrees_are_not(reports: gl.Reports) -> None:
    learned, asked = reports.subset(TRAIN), reports.subset(TEST)
    size = tried(SizeControl(0).fit(learned), asked)
    assert size.worst == size.accuracy
    degree = tried(DegreeControl(0).fit(learned), asked)
    assert degree.worst < degree.accuracy
    assert (degree.certified, degree.together) == (None, None)


def test_where_few_graphs_are_compared_liars_gain_nothing_by_a_plan(reports: gl.Reports) -> None:
    defense = tried(gl.RobustProfileClassifier(seed=0).fit(reports.subset(TRAIN)), reports.subset(TEST))
    assert defense.certified is not None
    assert defense.together == pytest.approx(defense.worst)
    assert defense.worst <= defense.accuracy


def test_three_classes_are_refused() -> None:
    threads = gl.synthetic.threads(9, seed=0)
    three = gl.GraphSet(threads.indptr, threads.indices, threads.graph_ptr, labels=np.arange(9) % 3)
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(three, rng=0)
    with pytest.raises(DataError, match=r"The frontier is drawn for two classes\. Got 3 instead\."):
        frontier(reports, np.arange(6), np.arange(6, 9))
