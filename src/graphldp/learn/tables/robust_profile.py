"""RobustProfileClassifier: the recommended classifier where users may lie, with a promise for each label.

    score = votes + the profile's voice,    the voice between −τ/2 and τ/2 for each class

and no voice for a graph that looks forged.

The votes (:class:`graphldp.learn.tables.votes.Votes`) bound what each user adds. The profile (what
:class:`ProfileClassifier` says, as twice its log odds) sees all that helps, the busiest user first, and one liar
can make it say anything. So its voice is cut off at τ: it decides where the votes are nearly even, and nowhere else.
Where claims look forged (:class:`graphldp.learn.tables.doubts.Doubts`) it is not heard at all, and the votes decide.

**The promise.** A label whose votes lead by more than τ plus what k liars can take away stands, whatever up to k users
send (d*, lists, answers) or if they stay away: :meth:`RobustProfileClassifier.certify`.

**Liars in training graphs.** Claims have to fit together (:mod:`graphldp.mechanisms.support`), and honest ones fail to
in at most one training graph of a thousand. Where more fail, somebody lied, and what was learned from single claims is
not to be trusted: the profile is not heard. How many users have to be set aside until the others fit says about how
many lied. From 2 % on the votes are not heard either, and n decides alone: nobody can lie about it.

**Graphs without labels** are a second witness. Liars whose claims fit together teach profile or votes the wrong thing,
and these then contradict each other, or n, on graphs where nobody lies (:mod:`graphldp.learn.tables.agreement`).
:meth:`RobustProfileClassifier.checked` compares, and hears no judge who is contradicted.

**The price.** τ is the smallest for which held-out folds of the training graphs lose at most ``allowance`` of the best
accuracy that any τ gives. With a larger allowance fewer labels hang on the profile, and more are promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from scipy.stats import binom
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import bad_parameter
from graphldp.learn.calibration import Calibration
from graphldp.learn.inputs import checked_graphs
from graphldp.learn.tables.agreement import FEWEST, Agreements, Statements, Trust
from graphldp.learn.tables.doubts import Doubts
from graphldp.learn.tables.levels import LEVELS, Flags, Levelled
from graphldp.learn.tables.mixture import Pair
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.tabular import Floats, Graphs
from graphldp.learn.tables.votes import Votes
from graphldp.mechanisms.support import unsupported
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

_MISFITS = 1e-3  # the share of honest graphs whose claims do not fit together, at most
_ALARM = 1e-3  # the probability that honest training graphs raise an alarm
_FEW = 0.02  # the share of liars up to which votes are heard
_SERVES = 0.1  # how much more accurate than the commonest label n has to be to decide alone
_LOUDNESS = 2.0  # of the profile's log odds, before they are cut off
_VOICES = np.linspace(0.0, 6.0, 61)
_RARE = 1e-3  # the least probability whose logarithm is taken


class RobustProfileClassifier(ProfileClassifier):
    """Label graphs by votes of bounded weight, and by their profile where those are nearly even.

    Args:
        allowance: the accuracy that may be lost on held-out folds for the sake of promises.
        seed: of trees and folds; the same seed gives the same classifier.

    Attributes:
        voice_: τ.
        trust_: ``"profile"``; ``"votes"`` or ``"size"`` where claims in training graphs do not fit together, or graphs
            without labels contradict what was learned from them.

    Others are as of :class:`ProfileClassifier`.

    Example::

        clf = RobustProfileClassifier().fit(reports.subset(train)).checked(reports.subset(test))
        clf.predict(reports.subset(test)), clf.certify(reports.subset(test))
    """

    def __init__(self, allowance: float = 0.01, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.allowance = allowance

    def fit(self, X: Graphs, y: ArrayLike | None = None, *, verbose: bool = False) -> Self:
        """Learn from graphs, as :meth:`ProfileClassifier.fit` does."""
        known = isinstance(self.allowance, int | float | np.number) and not isinstance(self.allowance, bool)
        if not (known and 0.0 <= self.allowance <= 1.0):
            raise bad_parameter("allowance", type(self).__name__, "a number from 0 to 1", self.allowance)
        self.levelled_, self.aside_ = _levels(X), X.aside if isinstance(X, Profiled) else set_aside(X)
        return super().fit(X, y, verbose=verbose)

    def checked(self, X: Graphs) -> Self:
        """The classifier for graphs that are to be labelled: it hears no judge whom they contradict.

        Args:
            X: all graphs that are to be labelled, the more the better; their labels are not looked at. Fewer than 20
                say nothing.

        Returns:
            The classifier itself, or a copy with less trust.
        """
        check_is_fitted(self)
        if self.trust_ == "size" or not len(X):
            return self
        warned = copy(self)
        warned.trust_ = min(self.trust_, self.believed(self.statements(X)), key=get_args(Trust).index)
        return self if warned.trust_ == self.trust_ else warned

    def believed(self, found: Statements) -> Trust:
        """What graphs of which so much is said allow to be heard."""
        if self.agreed_ is None:
            return "profile"
        return self.agreed_.trust(Agreements.of(found), size_serves=self.size_serves_)

    def statements(self, X: Graphs) -> Statements:
        """What n, votes and profile say of graphs, and the last two together."""
        graphs, chances = _levels(X), super().uncalibrated(X)
        votes, size = self.votes_.scores(graphs), self.by_size_.predict_proba(_sizes(graphs))
        return Statements(size, votes, chances, votes + _voice(chances, self.doubts_.doubted(graphs), self.voice_))

    def uncalibrated(self, X: Graphs) -> Floats:
        """Votes and voice as probabilities, or what n says alone, [graphs, classes]."""
        if self.trust_ == "profile":
            return np.asarray(softmax(self.statements(X).heard, axis=1))
        if self.trust_ == "votes":
            return np.asarray(softmax(self.votes_.scores(_levels(X)), axis=1))
        return self.by_size_.predict_proba(_sizes(_levels(X)))

    def certify(self, X: Graphs) -> NDArray[np.int64]:
        """How many liars each label withstands.

        Args:
            X: what :meth:`predict` takes; where :meth:`checked` compared graphs, the same graphs.

        Returns:
            [graphs]: the largest k such that the label of :meth:`predict` stands whatever up to k of the graph's
            private users send, or if they stay away; also if that changes what :meth:`checked` finds. 0 promises
            nothing: one user may change it.
        """
        codes, graphs = self.predict_proba(X).argmax(axis=1), _levels(X)
        if self.learned_trust_ == "size":
            return np.asarray(np.minimum(graphs.private.sum(axis=1), graphs.reported - 1), np.int64)
        withstood = self.votes_.withstood(graphs, codes, self.voice_)
        if self._steady(X):
            return withstood
        return np.where(self.by_size_.predict_proba(_sizes(graphs)).argmax(axis=1) == codes, withstood, 0)

    def _steady(self, X: Graphs) -> bool:
        """Whether no users of one graph can bring about that n decides alone for all."""
        if self.agreed_ is None or not self.size_serves_ or len(X) < FEWEST:
            return True
        return self.agreed_.trust(Agreements.at_worst(self.statements(X)), size_serves=True) != "size"

    @property
    def calibration_(self) -> Calibration:
        """How its probabilities are read."""
        check_is_fitted(self)
        return self.calibrations_[self.trust_]

    def _learn(self, table: Floats, codes: NDArray[np.int64]) -> Self:
        super()._learn(table, codes)
        graphs, classes = self.levelled_, len(self.classes_)
        self.votes_, self.doubts_ = Votes.fit(graphs, codes, classes), Doubts.fit(graphs, self.seed)
        self.by_size_ = Pair(self.seed).fit(_sizes(graphs), codes)
        self.trust_ = self.learned_trust_ = _trust(self.aside_, graphs.n)
        self.voice_, self.agreed_, self.size_serves_ = float(self.trust_ == "profile"), None, False
        self.calibrations_: dict[Trust, Calibration] = dict.fromkeys(get_args(Trust), Calibration())
        held_out, said = self.mixture_.held_out, self.mixture_.said
        if held_out is None or said is None:
            return self
        votes = np.zeros((len(codes), classes))
        for held in (held_out.fold == each for each in np.unique(held_out.fold)):
            votes[held] = Votes.fit(graphs.subset(~held), codes[~held], classes).scores(graphs.subset(held))
        if self.trust_ == "profile":
            self.voice_ = self._quietest(votes, held_out.chances, codes)
        heard = votes + _voice(held_out.chances, self.doubts_.held_out, self.voice_)
        self.agreed_ = Agreements.of(Statements(said.held_size, votes, held_out.chances, heard))
        by_size = (said.held_size.argmax(axis=1) == codes).mean()
        self.size_serves_ = bool(by_size >= np.bincount(codes).max() / len(codes) + _SERVES)
        self.calibrations_ = {
            "profile": Calibration.fit(softmax(heard, axis=1), codes),
            "votes": Calibration.fit(softmax(votes, axis=1), codes),
            "size": Calibration.fit(said.held_size, codes),
        }
        return self

    def _quietest(self, votes: Floats, chances: Floats, codes: NDArray[np.int64]) -> float:
        """The smallest τ that costs no more than the allowance."""
        heard = (votes + _voice(chances, self.doubts_.held_out, each) for each in _VOICES)
        right = np.array([(each.argmax(axis=1) == codes).mean() for each in heard])
        return float(_VOICES[np.argmax(right >= right.max() - self.allowance)])

    def _kept(self) -> dict[str, NDArray[Any]]:
        kept = super()._kept()
        kept["users"], kept["levels"] = self.levelled_.n, self.levelled_.present.astype(np.int32)
        kept["aside"] = self.aside_
        return kept

    def _take(self, weights: Mapping[str, NDArray[Any]], graphs: int) -> None:
        super()._take(weights, graphs)
        users, levels = (np.asarray(weights.get(name, np.zeros(0))) for name in ("users", "levels"))
        whole = users.dtype == np.float64 and levels.dtype == np.int32 and users.shape == (graphs,) and levels.ndim == 2
        if not (whole and len(levels) == graphs and 0 < levels.shape[1] <= len(LEVELS)):
            raise ValueError("it does not hold a row of levels for each graph")
        if not ((levels >= 0).all() and np.isfinite(users).all() and (levels.sum(axis=1) <= users).all()):
            raise ValueError("its levels hold more users than there are")
        aside = np.asarray(weights.get("aside", np.zeros(0)))
        if aside.dtype != np.int64 or aside.shape != (graphs,) or not ((aside >= 0) & (aside <= users)).all():
            raise ValueError("it does not say for each graph how many claims do not fit")
        self.aside_, present = aside, levels.astype(np.float64)
        self.levelled_ = Levelled(users, present, present)


def set_aside(X: NeighbourLists) -> NDArray[np.int64]:
    """How many users of each graph make claims that do not fit; 0 where there is no d* to compare."""
    if isinstance(X, Reports) and X.noisy_degree is not None:
        return unsupported(X, theta=_MISFITS)
    return np.zeros(len(X), np.int64)


def _levels(X: Graphs) -> Levelled:
    """What users claim, in steps."""
    return X.levelled if isinstance(X, Profiled) else Levelled.of(checked_graphs(X, "RobustProfileClassifier"))


def _sizes(graphs: Levelled) -> Floats:
    """How many users there are, whether they have reported or not, for :class:`Pair`."""
    return np.log1p(graphs.n)[:, None]


def _trust(aside: NDArray[np.int64], n: Floats) -> Trust:
    """What may be used, given how many users of each training graph must be set aside."""
    misfits = aside > 0
    if np.count_nonzero(misfits) <= binom.isf(_ALARM, len(aside), _MISFITS):
        return "profile"
    return "votes" if aside[misfits].sum() <= _FEW * n[misfits].sum() else "size"


def _voice(chances: Floats, doubted: Flags, voice: float) -> Floats:
    """Probabilities as scores that differ by at most the voice, and not at all for doubted graphs."""
    heard = np.log(np.maximum(chances, _RARE))
    heard -= (heard.max(axis=1, keepdims=True) + heard.min(axis=1, keepdims=True)) / 2
    return np.asarray(np.where(doubted[:, None], 0.0, np.clip(_LOUDNESS * heard, -voice / 2, voice / 2)))
