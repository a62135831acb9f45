"""The measure of forged friend counts: it labels as NodeClassifier does, and no liar is measured."""

from __future__ import annotations

import numpy as np
import pytest
from tools.liars.users import RATIOS, Users

import graphldp as gl
from graphldp.experiments.trials.users import UserSets, split_users

Case = tuple[gl.GraphSet, UserSets, gl.FeatureView, Users]


@pytest.fixture(scope="module")
def case() -> Case:
    graphs = gl.synthetic.communities(seed=0)
    sets = split_users(graphs, RATIOS, 0)
    view = gl.FeatureView.of(graphs, train=sets.train, validation=sets.validation)
    return graphs, sets, view, Users(graphs, view, 1.0, 0)


def test_labels_are_those_of_the_classifier(case: Case) -> None:
    graphs, sets, view, users = case
    reports = gl.FriendCounts(1.0).randomize(graphs.with_groups(view.groups), rng=0)
    clf = gl.NodeClassifier().fit(reports, train=sets.train, validation=sets.validation, view=view)
    assert np.array_equal(users.labels(users.counts), clf.log_proba_.argmax(axis=1))


def test_a_user_without_a_label_changes_no_label_but_her_own(case: Case) -> None:
    _, sets, _, users = case
    forged = users.claim(sets.test[:20], 0)
    honest = np.delete(np.arange(len(forged)), sets.test[:20])
    assert np.array_equal(users.labels(forged)[honest], users.labels(users.counts)[honest])


def test_liars_are_labelled_users_and_as_many_as_was_said(case: Case) -> None:
    _, sets, _, users = case
    for attacks, most in ((users.one(), 1), (users.many(0.01), round(0.01 * len(users.counts)))):
        for forged in attacks:
            liars = np.flatnonzero((forged != users.counts).any(axis=1))
            assert 0 < len(liars) <= most
            assert not np.isin(liars, sets.test).any()


def test_an_attack_costs_something(case: Case) -> None:
    """A tenth of all users, random training users, claim the next class's friends."""
    _, sets, _, users = case
    forged = next(users.many(0.1))
    right = [(users.labels(sent)[sets.test] == users.truth[sets.test]).mean() for sent in (users.counts, forged)]
    assert right[1] < right[0]
