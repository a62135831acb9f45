"""Trials in which liars know the classifier and search for the claims that hurt it most.

The classifier is fitted first, and then they lie. Liars in test graphs aim at the fitted classifier, with its defense.
Liars in training graphs lie before it exists, so they aim at a classifier fitted to honest reports: they make it take
their graphs for graphs of the other class.

A classifier that compares graphs (:meth:`graphldp.RobustProfileClassifier.checked`) notices where all of them are
turned at once. Liars in test graphs know that, and agree on who stays honest (:mod:`graphldp.experiments.unnoticed`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, ParameterError
from graphldp.experiments.draws import Context, reports_of
from graphldp.experiments.trial import Threat, Trial
from graphldp.experiments.trials.cases import Attacked, Defended, after, attack_reports, places, true_hubs
from graphldp.learn.selection import split
from graphldp.reports import Reports
from graphldp.threats import Optimised
from graphldp.threats.attacks.optimised import Score
from graphldp.threats.named import make_defense

if TYPE_CHECKING:
    from graphldp.learn.tables.tabular import TableClassifier


class Labels(Protocol):
    """A classifier that gives each graph a probability of each label."""

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""

    def predict_proba(self, X: Reports, /) -> NDArray[np.float64]:
        """The probability of each label for each graph."""


class Fitting(Protocol):
    """Fits the classifier of a trial to the training graphs of some reports."""

    def fitted(self, trial: Trial, reports: Reports) -> TableClassifier:
        """The fitted classifier."""


def aims(trial: Trial) -> bool:
    """Whether the liars of a trial search for their claims."""
    return trial.threat is not None and isinstance(trial.threat.make_attack(), Optimised)


def aimed(trial: Trial, context: Context, fits: Fitting) -> Defended:
    """The reports that a trial learns from, once liars have aimed at its classifier and the defense has judged."""
    from graphldp.experiments.unnoticed import unnoticed
    from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier

    threat = trial.threat or Threat()
    if threat.defense == "perfect":
        raise ParameterError(
            "The defense must not be 'perfect' where liars search: it leaves out all of them beforehand."
        )
    reports = reports_of(trial.draw, context)
    parts = split(reports.labels, trial.ratios, trial.seed)
    honest = Threat(defense=threat.defense, treatment=threat.treatment)
    liars = np.zeros(reports.num_users, np.bool_)
    for where, target in (("train", honest), ("test", replace(threat, where="train"))):
        if threat.where not in (where, "both"):
            continue
        known = replace(trial, threat=honest if threat.where == "test" else target)
        model = fits.fitted(known, filtered(reports, threat, trial.seed))
        graphs = parts[0] if where == "train" else parts[2]
        score = score_of(model, threat, trial.seed)
        found, turned = attack_reports(reports, threat, trial.seed, graphs, score)
        if where == "test" and isinstance(model, RobustProfileClassifier):
            asked = reports.subset(graphs)
            told = [model.statements(each) for each in (asked, found.subset(graphs))]
            lying = graphs[unnoticed(model, told, np.searchsorted(model.classes_, np.asarray(asked.labels))) == 1]
            found, turned = attack_reports(reports, threat, trial.seed, lying, score)
        reports = found
        liars |= turned
    inside = np.isin(reports.graph_of_user, places(parts, threat.where))
    case = Attacked(reports, liars, inside, true_hubs(trial.draw, reports, context))
    verdict = None if threat.defense == "none" else make_defense(threat.defense).judge(reports)
    return after(case, verdict, threat, trial.seed)


def score_of(model: Labels, threat: Threat, seed: int) -> Score:
    """The probability that a classifier gives to the true label of each graph, after the defense."""

    def score(reports: Reports) -> NDArray[np.float64]:
        if reports.labels is None:
            raise DataError("Liars who search need graphs with labels: they aim at the true ones.")
        chances = model.predict_proba(filtered(reports, threat, seed))
        return np.asarray(chances[np.arange(len(chances)), np.searchsorted(model.classes_, np.asarray(reports.labels))])

    return score


def filtered(reports: Reports, threat: Threat, seed: int) -> Reports:
    """What a threat's defense leaves of some reports."""
    if threat.defense == "none":
        return reports
    return make_defense(threat.defense, treatment=threat.treatment or None).apply(reports, rng=seed)[0]
