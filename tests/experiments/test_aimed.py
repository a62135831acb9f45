"""Trials whose liars aim at the classifier."""

import numpy as np

import graphldp as gl
from graphldp.experiments.aimed import aimed, score_of
from graphldp.experiments.draws import Context, Draw, reports_of
from graphldp.experiments.trial import Threat, Trial
from graphldp.experiments.trials.cases import attack_reports
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier

RATIOS, SEED = (0.6, 0.2, 0.2), 2


class Known:
    """A classifier that was fitted before."""

    def __init__(self, model: RobustProfileClassifier) -> None:
        self.model = model

    def fitted(self, trial: Trial, reports: gl.Reports) -> RobustProfileClassifier:
        return self.model


def test_liars_in_test_graphs_share_a_plan_where_graphs_are_compared() -> None:
    """They leave no more than if all of them lied, and lie in no other graph."""
    draw, threat = (
        Draw("synthetic:threads", "degrees", 1.0, None, 0.0, SEED),
        Threat("optimised-hub", liars=1, where="test"),
    )
    reports = reports_of(draw, Context())
    train, _, test = gl.split(reports.labels, RATIOS, SEED)
    model = RobustProfileClassifier(seed=SEED).fit(reports.subset(train))
    trial = Trial(draw, RATIOS, SEED, "recipe-robust-5", threat=threat)
    found = aimed(trial, Context(), Known(model)).reports
    openly, _ = attack_reports(reports, threat, SEED, test, score_of(model, threat, SEED))
    left, all_lie = (model.checked(each).score(each) for each in (found.subset(test), openly.subset(test)))
    assert left <= all_lie
    assert left < model.score(reports.subset(test))
    changed = np.asarray(found.noisy_degree) != np.asarray(reports.noisy_degree)
    lying = np.unique(reports.graph_of_user[changed])
    assert 0 < len(lying) <= len(test)
    assert np.isin(lying, test).all()
