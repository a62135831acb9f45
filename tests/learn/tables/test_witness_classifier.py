"""WitnessClassifier: no lie that we can think of changes a label that stands, and its errors say what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError, FormatError, ParameterError
from graphldp.learn.loading import load_classifier
from graphldp.learn.tables import witness_classifier
from graphldp.learn.tables.interpolated_kernel import InterpolatedKernel
from graphldp.learn.tables.witness_classifier import WitnessClassifier, _leads
from graphldp.learn.tables.witness_sums import FACTS, reach, witness_sums

LIES = 60  # of each kind, for each graph


@pytest.fixture(scope="module", autouse=True)
def _two_folds() -> Iterator[None]:
    """Two folds calibrate as four do, and cost half as much to fit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(witness_classifier, "_FOLDS", 2)
        yield


@pytest.fixture(scope="module")
def drawn() -> gl.Reports:
    graphs = gl.synthetic.threads(num_graphs=160, seed=0)
    return gl.recommended(1.0, witnesses=True).mechanism.randomize(graphs, rng=1)


@pytest.fixture(scope="module")
def fitted(drawn: gl.Reports) -> WitnessClassifier:
    return WitnessClassifier(seed=0).fit(drawn.subset(np.arange(110)))


def lied(reports: gl.Reports, graph: int, k: int, rng: np.random.Generator) -> gl.Reports:
    """Copies of a graph in which k users lie: at random, all ways to an extreme, or by their group."""
    copies = reports.subset(np.full(5 * LIES, graph))
    n, counts = int(reports.sizes[graph]), np.array(copies.friend_counts).reshape(5 * LIES, -1, reports.num_groups)
    silent = np.zeros(counts.shape[:2], np.bool_)
    honest = np.array(counts[0])
    busy = np.argsort((honest >= 1).sum(axis=1))
    column = np.argsort((honest >= 1).sum(axis=0))
    for copy in range(5 * LIES):
        kind, turn = divmod(copy, LIES)
        who = (rng.permutation(n), busy, busy[::-1])[turn % 3][:k]
        if kind == 0:
            counts[copy, who] = rng.choice([-5.0, 9.0], (k, reports.num_groups))
        elif kind == 4:
            silent[copy, who], counts[copy, who] = True, 0.0
        else:
            some = column[-(turn % reports.num_groups) - 1 :] if kind < 3 else column[: turn % reports.num_groups + 1]
            counts[copy, who] = -9.0 if kind % 2 else 9.0
            counts[np.ix_(np.array([copy]), who, some)] = 9.0 if kind % 2 else -9.0
    flat = counts.reshape(-1, reports.num_groups)
    return replace(copies, friend_counts=flat, missing=silent.ravel())


@pytest.mark.parametrize("k", [1, 3, 8])
def test_no_lie_changes_a_label_that_stands(drawn: gl.Reports, fitted: WitnessClassifier, k: int) -> None:
    """Brute force, on labels that barely stand: random and extremal lies, silence, of any and of the busiest users."""
    test = drawn.subset(np.arange(110, 160))
    most, labels = fitted.withstood(test), fitted.predict(test)
    rng, turned = np.random.default_rng(k), 0
    near = [graph for graph in np.argsort(most, kind="stable").tolist() if most[graph] >= k][:6]
    assert near
    for graph in near:
        assert (fitted.predict(lied(test, graph, k, rng)) == labels[graph]).all()
    for graph in np.flatnonzero(most < k)[:10].tolist():
        turned += int((fitted.predict(lied(test, graph, k, rng)) != labels[graph]).any())
    assert turned or k == 1  # the lies are no straw men


def chosen_by(reports: gl.Reports, epsilon: Any, counts: Any) -> gl.Reports:
    """The counts of users who chose these ε; 0 is silence."""
    silent, nobody = epsilon == 0, np.zeros(len(epsilon) + 1, np.int64)
    return replace(
        reports,
        indptr=nobody,
        indices=np.zeros(0, np.int32),
        budget=gl.Budget(epsilon, 0.0),
        missing=silent,
        friend_counts=np.where(silent[:, None], 0.0, counts),
    )


def test_no_lie_changes_a_label_where_users_choose_their_epsilon(fitted: WitnessClassifier) -> None:
    """Some users are public, and some silent; liars take any offer, publish, or are silent."""
    rng, offered = np.random.default_rng(0), np.array([0.5, 1.0, 2.0, np.inf])
    graphs = gl.synthetic.threads(num_graphs=30, seed=3)
    epsilon = rng.choice(offered, graphs.num_users, p=(0.1, 0.5, 0.3, 0.1))
    drawn = gl.FriendCounts(epsilon, dealt=12).randomize(graphs, rng=1)
    silent = (rng.random(graphs.num_users) < 0.15) & np.isfinite(epsilon)
    reports = chosen_by(drawn, np.where(silent, 0.0, epsilon), np.asarray(drawn.friend_counts))
    assert set(fitted.features(reports)[:, 2]) == {1 / np.tanh(0.25)}
    labels, most, turned = fitted.predict(reports), fitted.withstood(reports), 0
    sums = witness_sums(reports)
    for graph in range(30):
        n, liars = int(reports.sizes[graph]), max(int(most[graph]), 1)
        copies = reports.subset(np.full(LIES, graph))
        taken, counts = np.array(copies.epsilon1), np.array(copies.friend_counts)
        for copy in range(LIES):
            who = copy * n + rng.permutation(n)[:liars]
            taken[who] = rng.choice([0.5, 0.5, *offered, 0.0])
            some = np.argsort(rng.choice([-1, 1]) * sums[graph])[: rng.integers(13)]
            counts[who] = np.where(np.isin(np.arange(12), some), 9.0, -9.0)
        changed = (fitted.predict(chosen_by(copies, taken, counts)) != labels[graph]).any()
        assert not (changed and most[graph])
        turned += int(changed)
    assert turned  # the lies are no straw men


@pytest.mark.parametrize(
    ("scores", "stands"),
    [
        ([[0.9, 0.3, 0.2], [0.6, 0.1, 0.5]], True),
        ([[0.9, 0.3, 0.2], [0.4, -0.9, 0.5]], False),  # it is ahead of the mean of the others
        ([[0.9, 0.3, 0.2], [0.5, 0.1, 0.5]], False),
    ],
)
def test_a_label_stands_if_it_leads_each_other_class_at_every_point(scores: Any, stands: bool) -> None:
    assert _leads(lambda _: np.array(scores), 0, 1) is stands


def test_scores_of_lies_stay_within_their_bounds(drawn: gl.Reports, fitted: WitnessClassifier) -> None:
    """The bound itself, for every graph, whether its label stands or not."""
    test, rng = drawn.subset(np.arange(110, 160)), np.random.default_rng(0)
    for graph in range(0, 50, 5):
        within = next(fitted.model_.around(fitted.features(test.subset(np.array([graph]))), 2))
        corners = within(2)
        scores = fitted.model_.scores(fitted.features(lied(test, graph, 2, rng)))
        assert (corners.min(axis=0) <= scores.min(axis=0) + 1e-12).all()
        assert (scores.max(axis=0) <= corners.max(axis=0) + 1e-12).all()


def test_no_place_in_a_box_has_a_score_beyond_those_that_are_tried(
    drawn: gl.Reports, fitted: WitnessClassifier
) -> None:
    """Rows anywhere within reach, which reports need not be able to bring about; many lie, so knots are in between."""
    rng, rows = np.random.default_rng(1), fitted.features(drawn.subset(np.arange(110, 125)))
    for row, within in zip(rows, fitted.model_.around(rows, 12), strict=True):
        for k in (1, 5, 12):
            tried, far = within(k), reach(row[None], k)
            places = np.tile(row, (60, 1))
            places[:, FACTS:] += rng.choice([-1.0, 1.0, 0.3], (60, far.shape[1])) * rng.random((60, 1)) ** 0.1 * far
            scores = fitted.model_.scores(places)
            assert (tried.min(axis=0) - 1e-12 <= scores).all()
            assert (scores <= tried.max(axis=0) + 1e-12).all()


def test_scores_differ_less_the_more_one_liar_moves(drawn: gl.Reports) -> None:
    """The same rows, as if smaller ε had been on offer: where scores hang on one report, few labels stand."""
    rows, codes, spread = WitnessClassifier.features(drawn), np.asarray(drawn.labels), []
    for _ in range(3):
        fitted = InterpolatedKernel().fit(rows, codes)
        of_one_size = np.column_stack((np.full(len(rows), 100.0), rows[:, 1:]))
        spread.append(np.ptp(fitted.scores(of_one_size)[:, 0]))
        rows[:, 2] *= 4
    assert spread[0] > 2 * spread[1] > 4 * spread[2]


def test_a_liar_who_is_silent_changes_no_label_that_stands(drawn: gl.Reports, fitted: WitnessClassifier) -> None:
    """Everybody in turn; a classifier that reads who has answered in place of n would be moved."""
    test = drawn.subset(np.arange(110, 130))
    labels, stands = fitted.predict(test), fitted.withstands(test)
    for graph in np.flatnonzero(stands).tolist():
        n = int(test.sizes[graph])
        copies = test.subset(np.full(n, graph))
        missing = np.eye(n, dtype=np.bool_).ravel()
        silent = replace(
            copies, missing=missing, friend_counts=np.where(missing[:, None], 0, np.asarray(copies.friend_counts))
        )
        assert (fitted.predict(silent) == labels[graph]).all()
        assert (fitted.features(silent)[:, 0] == n).all()


def test_n_is_of_the_roster(drawn: gl.Reports, fitted: WitnessClassifier) -> None:
    """Half of a graph is silent: its row is that of all who are on the roster."""
    one = drawn.subset(np.array([120]))
    missing = np.arange(one.num_users) % 2 == 0
    silent = replace(one, missing=missing, friend_counts=np.where(missing[:, None], 0, np.asarray(one.friend_counts)))
    assert fitted._rows(silent)[0, 0] == one.num_users


def test_labels_are_better_than_a_guess_and_many_stand() -> None:
    """At ε = 4: embedded threads have about the same n in both classes, so all there is must come from the sums."""
    graphs = gl.synthetic.threads(num_graphs=160, seed=0)
    recipe = gl.recommended(4.0, witnesses=True)
    reports = recipe.mechanism.randomize(graphs, rng=1)
    test = reports.subset(np.arange(110, 160))
    fitted = recipe.classifier.fit(reports.subset(np.arange(110)))
    assert fitted.score(test) > 0.75
    assert fitted.withstands(test).mean() > 0.6


def test_withstood_is_the_largest_number_that_withstands_says(drawn: gl.Reports, fitted: WitnessClassifier) -> None:
    test = drawn.subset(np.arange(110, 160))
    most = fitted.withstood(test)
    for k in (1, 2, 5, 20):
        assert np.array_equal(fitted.withstands(test, liars=k), most >= np.minimum(k, test.sizes))


def test_three_classes() -> None:
    """One score for each class; the bounds hold and the probabilities are some."""
    graphs = gl.synthetic.threads(num_graphs=60, seed=2)
    labels = np.where(graphs.sizes > np.median(graphs.sizes), 2, np.asarray(graphs.labels))
    reports = gl.FriendCounts(2.0, dealt=8).randomize(graphs, rng=0)
    fitted = WitnessClassifier().fit(reports, labels)
    chances = fitted.predict_proba(reports)
    assert chances.shape == (60, len(np.unique(labels)))
    assert np.allclose(chances.sum(axis=1), 1)
    k = np.flatnonzero(fitted.withstands(reports, liars=2))
    for graph in k[:3].tolist():
        answer = fitted.predict(lied(reports, graph, 2, np.random.default_rng(1)))
        assert (answer == fitted.predict(reports)[graph]).all()


def test_small_graphs_have_a_label_and_no_certificate() -> None:
    graphs = gl.synthetic.threads(num_graphs=60, seed=0)
    reports = gl.FriendCounts(1.0, dealt=64).randomize(graphs, rng=0)
    fitted = WitnessClassifier().fit(reports)
    small = reports.sizes < 64
    assert small.any()
    assert not fitted.withstands(reports, liars=0)[small].any()
    assert not fitted.withstood(reports)[small].any()
    assert len(fitted.predict(reports)) == 60


def test_nothing_is_promised_of_what_a_filter_left(drawn: gl.Reports, fitted: WitnessClassifier) -> None:
    assert not fitted.withstands(replace(drawn, filtered=True)).any()


def test_a_file_gives_the_same_classifier(drawn: gl.Reports, fitted: WitnessClassifier, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model.npz")
    again = WitnessClassifier.load(tmp_path / "model.npz")
    assert isinstance(load_classifier(tmp_path / "model.npz"), WitnessClassifier)
    assert np.array_equal(again.predict_proba(drawn), fitted.predict_proba(drawn))
    assert np.array_equal(again.withstood(drawn), fitted.withstood(drawn))
    assert again.provenance_ == fitted.provenance_
    (tmp_path / "cut.npz").write_bytes((tmp_path / "model.npz").read_bytes()[:500])
    with pytest.raises(FormatError):
        WitnessClassifier.load(tmp_path / "cut.npz")


@pytest.mark.parametrize("liars", [-1, 1.5, True, "1", 10**7])
def test_what_is_no_number_of_liars_is_refused(drawn: gl.Reports, fitted: WitnessClassifier, liars: Any) -> None:
    with pytest.raises(ParameterError, match="'liars' parameter of WitnessClassifier"):
        fitted.withstands(drawn, liars=liars)


def test_another_number_of_groups_is_refused(fitted: WitnessClassifier) -> None:
    other = gl.FriendCounts(1.0, dealt=5).randomize(gl.synthetic.threads(num_graphs=3, seed=0), rng=0)
    with pytest.raises(DataError, match="learned from 12 groups"):
        fitted.predict(other)


@pytest.mark.parametrize("more", [{"rounds": 2}, {"task": "nodes"}])
def test_where_there_are_no_witnesses_the_error_says_why(more: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="'witnesses' parameter of recommended must be False"):
        gl.recommended(1.0, witnesses=True, **more)
