"""Liars who know that graphs are compared turn as many labels as go unnoticed."""

from dataclasses import replace

import numpy as np
import pytest

import graphldp as gl
from graphldp.experiments.unnoticed import labelled_right, unnoticed
from graphldp.learn.tables.robust import agreement
from graphldp.learn.tables.robust.agreement import Statements
from graphldp.learn.tables.robust.limits import LabelLimits
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier
from graphldp.threats.named import make_attack

ATTACKS = ("fake-hub", "hub-imitation", "silent-hub")


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(180, seed=0), rng=0)


@pytest.fixture(scope="module")
def model(reports: gl.Reports) -> RobustProfileClassifier:
    """One that always hears the profile: on these graphs, liars turn hardly a label of the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LabelLimits, "choose", lambda *_: LabelLimits(9.0, 1.0))
        return RobustProfileClassifier().fit(reports[:120])


@pytest.fixture(scope="module")
def forged(reports: gl.Reports) -> list[gl.Reports]:
    """Sixty graphs as they are, and with one liar in each who follows one plan or another."""
    honest = reports[120:]
    return [honest, *(make_attack(each, liars=1).apply(honest, rng=0) for each in ATTACKS)]


@pytest.fixture(scope="module")
def told(model: RobustProfileClassifier, forged: list[gl.Reports]) -> list[Statements]:
    return [model.statements(each) for each in forged]


def true_classes(model: RobustProfileClassifier, honest: gl.Reports) -> np.ndarray:
    return np.searchsorted(model.classes_, np.asarray(honest.labels))


def mixed(forged: list[gl.Reports], plan: np.ndarray) -> gl.Reports:
    degrees = np.stack([np.asarray(each.noisy_degree) for each in forged])
    graph = forged[0].graph_of_user
    return replace(forged[0], noisy_degree=degrees[plan[graph], np.arange(len(graph))])


def test_what_they_expect_to_be_left_is_what_the_classifier_leaves(
    model: RobustProfileClassifier, forged: list[gl.Reports], told: list[Statements]
) -> None:
    truth, rng = true_classes(model, forged[0]), np.random.default_rng(0)
    for plan in (unnoticed(model, told, truth), rng.integers(0, len(told), len(truth)), np.full(len(truth), 1)):
        lied = mixed(forged, plan)
        assert model.checked(lied).score(lied) == labelled_right(model, told, truth, plan) / len(truth)


def test_no_other_plan_of_many_turns_more(
    model: RobustProfileClassifier, forged: list[gl.Reports], told: list[Statements]
) -> None:
    """One seed; plans drawn at random, in which more graphs or fewer have liars, and only lies that turn a label."""
    truth, rng = true_classes(model, forged[0]), np.random.default_rng(0)
    turning = np.stack([each.heard.argmax(axis=1) != truth for each in told]).argmax(axis=0)
    left = labelled_right(model, told, truth, unnoticed(model, told, truth))
    for share in np.linspace(0, 1, 40):
        lying = rng.random(len(truth)) < share
        assert labelled_right(model, told, truth, np.where(lying, turning, 0)) >= left
        assert labelled_right(model, told, truth, np.where(lying, rng.integers(1, 4, len(truth)), 0)) >= left


def test_they_turn_more_labels_than_all_of_them_openly(
    model: RobustProfileClassifier, forged: list[gl.Reports], told: list[Statements], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comparison is made to overlook more: of sixty graphs it lets too few pass to be worth it."""
    monkeypatch.setattr(agreement, "_LIMIT", 6.0)
    truth, both = true_classes(model, forged[0]), [told[0], told[1]]
    assert model.checked(forged[1]).trust_ != "profile"  # all at once are noticed
    plan = unnoticed(model, both, truth)
    assert 0 < plan.sum() < len(truth)
    openly = labelled_right(model, both, truth, np.ones_like(plan))
    assert labelled_right(model, both, truth, plan) < min(openly, labelled_right(model, both, truth, 0 * plan))


def test_where_nobody_compares_nobody_hides(
    model: RobustProfileClassifier, forged: list[gl.Reports], told: list[Statements]
) -> None:
    few = [Statements(*(part[:20] for part in each)) for each in told[:2]]
    truth = true_classes(model, forged[0])[:20]
    plan = unnoticed(model, few, truth)
    assert labelled_right(model, few, truth, plan) == (few[1].heard.argmax(axis=1) == truth).sum()


@pytest.mark.parametrize(("trust", "judge"), [("many", "many"), ("size", "size")])
def test_they_aim_at_the_judge_who_is_heard(
    model: RobustProfileClassifier, told: list[Statements], trust: str, judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Liars in training graphs may have left no other. What the lies do to that judge is made up."""
    monkeypatch.setattr(model, "learned_trust_", trust)
    rng, truth = np.random.default_rng(0), np.arange(60) % 2
    right = np.where(truth[:, None] == np.arange(2), 0.9, 0.1)
    honest = told[0]._replace(**{judge: right})
    lied = honest._replace(**{judge: np.where(rng.random((60, 1)) < 0.5, 1 - right, right)})
    plan = unnoticed(model, [honest, lied], truth)
    left = labelled_right(model, [honest, lied], truth, plan)
    assert left < 60
    for share in np.linspace(0, 1, 20):
        lying = (rng.random(60) < share).astype(np.int64)
        assert labelled_right(model, [honest, lied], truth, lying) >= left
