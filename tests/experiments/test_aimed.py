"""Liars who know that graphs are compared turn as many labels as go unnoticed."""

from dataclasses import replace

import numpy as np
import pytest

import graphldp as gl
from graphldp.experiments.aimed import unnoticed
from graphldp.learn.tables.robust import agreement
from graphldp.learn.tables.robust.limits import LabelLimits
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier
from graphldp.threats.named import make_attack


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(180, seed=0), rng=0)


@pytest.fixture(scope="module")
def model(reports: gl.Reports) -> RobustProfileClassifier:
    """One that always hears the profile: on these graphs, liars turn hardly a label of the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LabelLimits, "choose", lambda *_: LabelLimits(9.0, 1.0))
        return RobustProfileClassifier().fit(reports[:120])


def mixed(honest: gl.Reports, forged: gl.Reports, lying: np.ndarray) -> gl.Reports:
    told = np.where(lying[honest.graph_of_user], np.asarray(forged.noisy_degree), np.asarray(honest.noisy_degree))
    return replace(honest, noisy_degree=told)


def test_they_turn_more_labels_than_all_of_them_together(
    reports: gl.Reports, model: RobustProfileClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comparison is made to overlook more: of sixty graphs it lets too few pass to be worth it."""
    honest = reports[120:]
    monkeypatch.setattr(agreement, "_LIMIT", 6.0)
    forged = make_attack("fake-hub", liars=1).apply(honest, rng=0)
    warned = model.checked(forged)
    assert warned.trust_ != "profile"  # all at once are noticed
    lying = unnoticed(model, honest, forged)
    told = mixed(honest, forged, lying)
    assert 0 < lying.sum() < len(honest)
    assert model.checked(told).score(told) < min(warned.score(forged), model.score(honest))
    turned = model.predict(told) != model.predict(honest)
    assert turned[lying].all()
    assert not turned[~lying].any()


def test_no_other_number_of_them_turns_more(reports: gl.Reports, model: RobustProfileClassifier) -> None:
    """By the classifier itself, which hears of each graph what all others allow: any of the first so many lie."""
    honest = reports[120:]
    forged = make_attack("hub-imitation", liars=1).apply(honest, rng=0)
    best = mixed(honest, forged, unnoticed(model, honest, forged))
    left = model.checked(best).score(best)
    rng = np.random.default_rng(0)
    for count in (1, 3, 6, 12, 25, 60):
        told = mixed(honest, forged, rng.permutation(60) < count)
        assert model.checked(told).score(told) >= left


def test_where_nobody_compares_all_of_them_lie(reports: gl.Reports, model: RobustProfileClassifier) -> None:
    honest = reports[120:]
    forged = make_attack("fake-hub", liars=1).apply(honest, rng=0)
    assert unnoticed(model, honest, honest).all()  # lies that turn no label might as well be told
    few = unnoticed(model, honest[:20], forged[:20])
    assert model.score(mixed(honest[:20], forged[:20], few)) == model.score(forged[:20])
