"""A class that does not hang on any two users, by its definition and by every lie of one user."""

from dataclasses import dataclass
from itertools import combinations
from typing import Self

import numpy as np
import pytest
from scipy.special import softmax

import graphldp as gl
from graphldp.learn.tables.robust import absences
from graphldp.learn.tables.robust.absences import UNSETTLED, Absences
from graphldp.learn.tables.robust.level_profile import NOBODY, level_rows
from graphldp.learn.tables.robust.levels import Levelled

SURE = 0.55


@dataclass
class _Anything:
    """A judge without sense: the chances are waves over a row's numbers, drawn at random."""

    classes: int
    seed: int

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        rng = np.random.default_rng(self.seed)
        weights = rng.normal(size=(X.shape[1], self.classes))
        # row by row: how a product of matrices is rounded may depend on how many rows there are
        scores = np.sin(np.array([np.log1p(np.abs(row)) @ weights for row in X]) / 12)
        return np.asarray(softmax(3 * scores, axis=1))


def _graphs(seed: int, count: int = 40) -> Levelled:
    """Graphs of one to seven users; some are public, and some have not reported."""
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(5, np.full(16, 1 / 16), size=count)
    present = np.asarray(np.where(rng.random(drawn.shape) < 0.8, drawn, 0), np.float64)
    private = np.where(rng.random(present.shape) < 0.85, present, np.maximum(present - 1, 0))
    return Levelled(present.sum(axis=1) + rng.integers(0, 3, count) + (present.sum(axis=1) == 0), present, private)


def _lied(graphs: Levelled, row: int) -> Levelled:
    """One graph under every lie of one private user, and under none."""
    present, private = [graphs.present[row]], [graphs.private[row]]
    for source in np.flatnonzero(graphs.private[row]):
        for target in (NOBODY, *np.flatnonzero(graphs.admissible[row])):
            moved = np.zeros_like(present[0])
            moved[source] -= 1
            if target != NOBODY:
                moved[target] += 1
            present.append(present[0] + moved)
            private.append(private[0] + moved)
    return Levelled(np.full(len(present), graphs.n[row]), np.stack(present), np.stack(private))


def _by_definition(judge: Absences, graphs: Levelled, row: int) -> tuple[int, int]:
    """The class that is settled, and the one that is unmoved, user by user."""
    assert judge.judge is not None
    away = int(graphs.n[row] - graphs.present[row].sum())
    users = [*np.repeat(np.arange(graphs.present.shape[1]), graphs.private[row].astype(int)), *[NOBODY] * away]
    said = np.full((len(users), len(users)), UNSETTLED)
    for one, two in combinations(range(len(users)), 2):
        gone = np.array([[users[one], users[two]]])
        rows = level_rows(graphs, np.array([row]), gone, np.array([NOBODY]))
        chances = judge.judge.predict_proba(rows.astype(np.float64))[0]
        sure = chances.max() > judge.sure
        said[one, two] = said[two, one] = chances.argmax() if sure else UNSETTLED
    others = [set(np.delete(each, place).tolist()) for place, each in enumerate(said)]
    settled = {each.copy().pop() for each in others if len(each) == 1} - {UNSETTLED}
    unmoved = set().union(*others)
    assert len(settled) <= 1
    return (settled or {UNSETTLED}).pop(), unmoved.pop() if len(unmoved) == 1 else UNSETTLED


@pytest.mark.parametrize(("classes", "seed"), [(2, 0), (2, 1), (3, 2)])
def test_what_is_settled_is_what_the_definition_says(classes: int, seed: int) -> None:
    graphs, judge = _graphs(seed), Absences(_Anything(classes, seed), SURE)
    expected = np.array([_by_definition(judge, graphs, row) for row in range(len(graphs.n))]).T
    np.testing.assert_array_equal(judge.settled(graphs), expected[0])
    np.testing.assert_array_equal(judge.unmoved(graphs), expected[1])
    chances = judge.certainty(graphs, classes)
    np.testing.assert_array_equal(np.where(chances.max(axis=1) > SURE, chances.argmax(axis=1), UNSETTLED), expected[0])
    moved = (expected[0] != UNSETTLED) & (expected[1] == UNSETTLED)
    assert moved.any()
    assert (expected[0] == UNSETTLED).any()
    assert (expected[1] != UNSETTLED).any()


@pytest.mark.parametrize(("classes", "seed"), [(2, 3), (2, 4), (3, 5)])
def test_no_lie_of_one_user_moves_what_is_unmoved(classes: int, seed: int) -> None:
    """The theorem, by every lie: it holds for any judge, and needs both of the users who are left out."""
    graphs, judge = _graphs(seed), Absences(_Anything(classes, seed), SURE)
    unmoved, settled = judge.unmoved(graphs), judge.settled(graphs)
    turned = 0
    for row in np.flatnonzero(settled != UNSETTLED).tolist():
        found = judge.settled(_lied(graphs, row))
        if unmoved[row] != UNSETTLED:
            np.testing.assert_array_equal(found, unmoved[row])
        else:
            turned += bool((found != settled[row]).any())
    assert (unmoved != UNSETTLED).any()
    assert turned  # where a graph is only settled, some lie unsettles it


def test_parts_of_the_work_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs, judge = _graphs(6), Absences(_Anything(2, 6), SURE)
    settled, unmoved, certainty = judge.settled(graphs), judge.unmoved(graphs), judge.certainty(graphs, 2)
    monkeypatch.setattr(absences, "_ROWS", 5)
    np.testing.assert_array_equal(judge.settled(graphs), settled)
    np.testing.assert_array_equal(judge.unmoved(graphs), unmoved)
    np.testing.assert_allclose(judge.certainty(graphs, 2), certainty, rtol=1e-12)  # this judge's sums are BLAS's


def test_nothing_is_settled_before_there_is_a_limit_or_with_few_graphs() -> None:
    graphs = _graphs(0)
    assert (Absences(_Anything(2, 0)).settled(graphs) == UNSETTLED).all()
    few = Absences.fit(graphs.subset(slice(0, 30)), np.arange(30) % 2, 0)
    assert few.judge is None
    assert (few.limited(SURE).settled(graphs) == UNSETTLED).all()
    assert not few.certainty(graphs, 2).any()
    nobody = graphs.subset(slice(0, 0))
    assert Absences(_Anything(2, 0), SURE).settled(nobody).shape == (0,)
    assert Absences(_Anything(2, 0), SURE).certainty(nobody, 2).shape == (0, 2)


def test_learners_know_graphs_whose_busiest_users_are_missing() -> None:
    """One seed: threads tell their class with and without the busiest two; a coin would be right in half of them."""
    threads = gl.synthetic.threads(160, seed=0)
    graphs, codes = Levelled.of(threads), np.asarray(threads.labels)
    judge = Absences.fit(graphs.subset(slice(0, 100)), codes[:100], 0).judge
    assert judge is not None
    asked, row = graphs.subset(slice(100, 160)), np.arange(60)
    gone = asked.ranked(np.array([1, 2]))
    rows = level_rows(asked, row, gone, np.full(60, NOBODY)).astype(np.float64)
    assert (judge.predict_proba(rows).argmax(axis=1) == codes[100:]).mean() > 0.7


def test_nothing_is_settled_where_held_out_graphs_could_not_be_asked() -> None:
    """Between 40 and 53 graphs there are learners, but none of a fold: what they would cost is not known."""
    threads = gl.synthetic.threads(44, seed=0)
    clf = gl.RobustProfileClassifier().fit(threads)
    assert clf.absences_.judge is not None
    assert (clf.absences_.settled(Levelled.of(threads)) == UNSETTLED).all()
