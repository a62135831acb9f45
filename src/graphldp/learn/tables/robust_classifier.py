"""RobustProfileClassifier: the recommended classifier of degrees where users may lie, with a promise for each label.

A label is a class that is *settled*, which does not hang on any two users
(:class:`graphldp.learn.tables.settled.SettledClasses`), or else that of the *profile*, as of
:class:`ProfileClassifier`. The profile sees all that helps, the busiest user first, and one liar can make it say
anything.

**The promise.** A class that is settled without any two users stands, whatever one user sends (d*, lists, answers) or
if she stays away: :meth:`RobustProfileClassifier.withstands`. Each graph is labelled by its own reports alone, so who
lies in other graphs changes nothing. The promise takes the classifier as it is: liars in training graphs may have
taught it anything. Where some training graphs are known to be honest, ``trusted`` learns from these alone.

**The price.** ``allowance`` is the accuracy that may be lost against the profile alone. With a larger one fewer labels
hang on the profile, and more are promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from graphldp.allowance import ALLOWANCE, check_allowance
from graphldp.learn.calibration import Calibration
from graphldp.learn.inputs import check_liars, checked_graphs, filtered
from graphldp.learn.tables.levels import FEWEST_LEVELS, LARGEST, LEVELS, Levelled
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.settled import UNSETTLED, SettledClasses, above, lowest_certainty
from graphldp.learn.tables.tabular import Codes, Floats, Graphs

_MOST = 2000  # training graphs on which s is chosen
_LEAD = 0.01  # by how much the chance of a settled class is above that of the profile's


class RobustProfileClassifier(ProfileClassifier):
    """Label graphs by a class that does not hang on any two users, or else by their profile.

    Args:
        allowance: the accuracy that may be lost on held-out folds for the sake of promises.
        seed: of trees and folds; the same seed gives the same classifier.

    Attributes:
        settled_: what says which classes are settled.

    Others are as of :class:`ProfileClassifier`.

    Example::

        clf = RobustProfileClassifier().fit(reports.subset(train))
        clf.predict(reports.subset(test)), clf.withstands(reports.subset(test), liars=1)
    """

    settings = ("weight", "sure")

    def __init__(self, allowance: float = ALLOWANCE, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.allowance = allowance

    def uncalibrated(self, X: Graphs) -> Floats:
        """What the profile says, [graphs, classes], but that a settled class leads."""
        return _with_settled(super().uncalibrated(X), self.settled_.settled(_levels(X)))

    def withstands(self, X: Graphs, *, liars: int = 1) -> NDArray[np.bool_]:
        """Whether each label stands, whatever so many users of its graph send.

        Args:
            X: what :meth:`predict` takes.
            liars: k: how many users of each graph may lie, from 0 to the number of users of the largest graph. Nothing
                is promised against more than one.

        Returns:
            [graphs]: whether the label of :meth:`predict` stands whatever up to k of the graph's private users send,
            or if they stay away; not if one of them becomes a public user, whose list is taken for true. False
            promises nothing: fewer than k users may change it. Nothing is promised where users were left out.
        """
        check_liars(liars, X.sizes, type(self).__name__)
        return self.withstood(X) >= liars

    def withstood(self, X: Graphs) -> Codes:
        """The largest number of liars for which :meth:`withstands` holds, by graph: 1, or 0 for no promise."""
        check_is_fitted(self)
        if filtered(X):
            return np.zeros(len(X), np.int64)
        return np.asarray(self.settled_.unmoved(_levels(X)) != UNSETTLED, np.int64)

    def _begin(self, X: Graphs) -> None:
        check_allowance(self.allowance, type(self).__name__)
        self.levelled_ = _levels(X)

    def _chosen(self, table: Floats, codes: Codes) -> tuple[dict[str, float], Calibration]:
        held_out = self._held_out(table, codes)
        if held_out is None:
            return {"weight": 1.0, "sure": 1.0}, Calibration()
        some = np.sort(np.random.default_rng(self.seed).permutation(len(codes))[:_MOST])
        certainty = self._certainty_by_folds(held_out.fold, some, codes)
        chances, own = held_out.chances[some], codes[some]
        sure = lowest_certainty(certainty, chances, own, self.allowance)
        calibration = Calibration.fit(_with_settled(chances, above(certainty, sure)), own)
        return {"weight": held_out.weight, "sure": sure}, calibration

    def _certainty_by_folds(self, fold: Codes, some: Codes, codes: Codes) -> Floats:
        """How sure each class of some graphs is, to learners that were fitted to the other folds."""
        certainty = np.zeros((len(some), len(self.classes_)))
        for held in np.unique(fold):
            taught, asked = fold != held, fold[some] == held
            learners = SettledClasses.fit(self.levelled_.subset(taught), codes[taught], len(self.classes_), self.seed)
            certainty[asked] = learners.certainty(self.levelled_.subset(some[asked]))[0]
        return certainty

    def _fit_with(self, table: Floats, codes: Codes, settings: dict[str, float], calibration: Calibration) -> Self:
        learners = SettledClasses.fit(self.levelled_, codes, len(self.classes_), self.seed)
        self.settled_ = learners.limited(settings["sure"])
        return super()._fit_with(table, codes, settings, calibration)

    def _kept(self) -> dict[str, NDArray[Any]]:
        return {**super()._kept(), "users": self.levelled_.n, "levels": self.levelled_.present.astype(np.int32)}

    def _take(self, weights: Mapping[str, NDArray[Any]], graphs: int) -> None:
        users, levels = (np.asarray(weights.get(name, np.zeros(0))) for name in ("users", "levels"))
        whole = users.dtype == np.float64 and levels.dtype == np.int32 and users.shape == (graphs,) and levels.ndim == 2
        if not (whole and len(levels) == graphs and FEWEST_LEVELS <= levels.shape[1] <= len(LEVELS)):
            raise ValueError("it does not hold a row of levels for each graph")
        whole = bool((users == np.rint(users)).all() and (users < LARGEST).all())
        if not (whole and (levels >= 0).all() and (levels.sum(axis=1) <= users).all()):
            raise ValueError("its levels hold more users than there are")
        present = levels.astype(np.float64)
        self.levelled_ = Levelled(users, present, present)


def _with_settled(chances: Floats, settled: Codes) -> Floats:
    """Chances in which a settled class leads all others."""
    chances, row = chances.copy(), np.arange(len(chances))
    other = np.flatnonzero((settled != UNSETTLED) & (chances.argmax(axis=1) != settled)) if len(row) else row
    chances[other, settled[other]] = chances[other].max(axis=1, initial=0.0) + _LEAD
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _levels(X: Graphs) -> Levelled:
    """The levels of reports or of graphs."""
    return X.levelled if isinstance(X, Profiled) else Levelled.of(checked_graphs(X, "RobustProfileClassifier"))
