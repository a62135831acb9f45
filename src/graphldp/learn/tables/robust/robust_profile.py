"""RobustProfileClassifier: the recommended classifier where users may lie, with a promise for each label.

A label comes from the first of these that applies:

1. the *votes*, where they lead by more than τ. Each user's vote is bounded
   (:class:`graphldp.learn.tables.robust.votes.Votes`);
2. a class that is *settled*: it does not hang on any two users
   (:class:`graphldp.learn.tables.robust.absences.Absences`);
3. the *profile*, as of :class:`ProfileClassifier`. It sees all that helps, the busiest user first, and one liar can
   make it say anything.

**The promise.** A label whose votes lead by more than τ plus what k liars can take away stands, whatever up to k users
send (d*, lists, answers) or if they stay away. A class that is settled without any two users stands against one liar:
:meth:`RobustProfileClassifier.certify`.

**Liars in training graphs.** Claims have to fit together (:mod:`graphldp.mechanisms.degrees.support`), and honest ones fail to
in at most one training graph of a thousand. Where more fail, somebody lied, and what was learned from single claims is
not to be trusted: the votes decide. How many users have to be set aside until the others fit says about how many lied.
From 2 % on the votes are not heard either, and n decides alone: nobody can lie about it.

**Graphs without labels** are a second witness. Liars whose claims fit together teach profile or votes the wrong thing,
and these then contradict each other, or n, on graphs where nobody lies (:mod:`graphldp.learn.tables.robust.agreement`).
:meth:`RobustProfileClassifier.checked` compares, and hears no judge who is contradicted.

**The price.** ``allowance`` is the accuracy that may be lost on held-out folds, against the profile alone. Settled
classes may cost three quarters of it; then τ is the smallest that keeps within the whole. With a larger allowance fewer
labels hang on the profile, and more are promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import bad_parameter
from graphldp.learn.calibration import Calibration
from graphldp.learn.inputs import checked_graphs
from graphldp.learn.tables.mixture import Pair, kept_chances
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.robust.absences import UNSETTLED, Absences, Pairwise, SizeLimits
from graphldp.learn.tables.robust.agreement import FEWEST, Agreements, Statements, Trust
from graphldp.learn.tables.robust.levels import LEVELS, Levelled
from graphldp.learn.tables.robust.misfits import set_aside, trusted
from graphldp.learn.tables.robust.votes import Votes
from graphldp.learn.tables.tabular import Floats, Graphs

_SERVES = 0.1  # how much more accurate than the commonest label n has to be to decide alone
_LOUDNESS = 2.0  # of the profile's log odds beside the votes, in what is said of how sure a label is
_VOICES = np.linspace(0.0, 6.0, 61)
_SETTLING = 0.75  # of the allowance
_MOST = 2000  # training graphs on which settings are chosen
_NARROW = 0.01  # the lead of a label that votes and profile together would not give
_RARE = 1e-3  # the least probability whose logarithm is taken


class RobustProfileClassifier(ProfileClassifier):
    """Label graphs by votes of bounded weight, by what does not hang on two users, or by their profile.

    Args:
        allowance: the accuracy that may be lost on held-out folds for the sake of promises.
        seed: of trees and folds; the same seed gives the same classifier.

    Attributes:
        voice_: τ.
        absences_: what says which classes are settled.
        trust_: ``"profile"``; ``"votes"`` or ``"size"`` where claims in training graphs do not fit together, or graphs
            without labels contradict what was learned from them.

    Others are as of :class:`ProfileClassifier`.

    Example::

        clf = RobustProfileClassifier().fit(reports.subset(train)).checked(reports.subset(test))
        clf.predict(reports.subset(test)), clf.certify(reports.subset(test))
    """

    _pairwise_told: Pairwise | None = None  # by a file, while it is loaded

    def __init__(self, allowance: float = 0.01, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.allowance = allowance

    def fit(self, X: Graphs, y: ArrayLike | None = None, *, verbose: bool = False) -> Self:
        """Learn from graphs, as :meth:`ProfileClassifier.fit` does."""
        known = isinstance(self.allowance, int | float | np.number) and not isinstance(self.allowance, bool)
        if not (known and 0.0 <= self.allowance <= 1.0):
            raise bad_parameter("allowance", type(self).__name__, "a number from 0 to 1", self.allowance)
        self.levelled_, self.aside_ = _levels(X), X.aside if isinstance(X, Profiled) else set_aside(X)
        self._pairwise_told = None  # a file's is of its own graphs
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
        """What n, votes and profile say of graphs, and the whole classifier."""
        graphs, chances = _levels(X), super().uncalibrated(X)
        votes, size = self.votes_.scores(graphs), self.by_size_.predict_proba(_sizes(graphs))
        return Statements(size, votes, chances, _heard(votes, chances, self.absences_.settled(graphs), self.voice_))

    def uncalibrated(self, X: Graphs) -> Floats:
        """What is heard as probabilities, [graphs, classes]."""
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
        withstood, least = self.votes_.withstood(graphs, codes, self.voice_), self._least(X)
        if least == "profile":
            led = self.votes_.withstood(graphs, codes, -self.voice_) > 0  # the votes alone can give no other label
            rest = np.flatnonzero(led & (withstood == 0))
            withstood[rest] = self.absences_.unmoved(graphs.subset(rest)) == codes[rest]
        if least != "size":
            return withstood
        return np.where(self.by_size_.predict_proba(_sizes(graphs)).argmax(axis=1) == codes, withstood, 0)

    def _least(self, X: Graphs) -> Trust:
        """The least that users of one graph can make :meth:`checked` trust."""
        if self.trust_ == "size" or self.agreed_ is None or len(X) < FEWEST:
            return self.trust_
        worst = Agreements.at_worst(self.statements(X))
        return min(self.trust_, self.agreed_.trust(worst, size_serves=self.size_serves_), key=get_args(Trust).index)

    @property
    def calibration_(self) -> Calibration:
        """How its probabilities are read."""
        check_is_fitted(self)
        return self.calibrations_[self.trust_]

    def _learn(self, table: Floats, codes: NDArray[np.int64]) -> Self:
        super()._learn(table, codes)
        graphs, classes = self.levelled_, len(self.classes_)
        self.trust_ = self.learned_trust_ = trusted(self.aside_, graphs.n)
        self.votes_, self.absences_ = Votes.fit(graphs, codes, classes), self._absences(graphs, codes)
        self.by_size_ = Pair(self.seed).fit(_sizes(graphs), codes)
        self.voice_, self.agreed_, self.size_serves_ = float(self.trust_ == "profile"), None, False
        self.pairwise_: Pairwise | None = None
        self.calibrations_: dict[Trust, Calibration] = dict.fromkeys(get_args(Trust), Calibration())
        held_out, said = self.mixture_.held_out, self.mixture_.said
        if held_out is None or said is None:
            return self
        fold = held_out.fold
        votes = np.zeros((len(codes), classes))
        for held in (fold == each for each in np.unique(fold)):
            votes[held] = Votes.fit(graphs.subset(~held), codes[~held], classes).scores(graphs.subset(held))
        self.pairwise_ = self._pairwise_told or self._without_pairs(fold, codes)
        some = _some(len(codes), self.seed)
        votes, chances, size, asked = votes[some], held_out.chances[some], said.held_size[some], codes[some]
        settled = self._choose(
            graphs.n[some], votes, chances, Pairwise(*(each[some] for each in self.pairwise_)), asked
        )
        heard = _heard(votes, chances, settled, self.voice_)
        self.agreed_ = Agreements.of(Statements(size, votes, chances, heard))
        self.size_serves_ = bool(
            (size.argmax(axis=1) == asked).mean() >= np.bincount(asked).max() / len(asked) + _SERVES
        )
        self.calibrations_ = {
            "profile": Calibration.fit(softmax(heard, axis=1), asked),
            "votes": Calibration.fit(softmax(votes, axis=1), asked),
            "size": Calibration.fit(size, asked),
        }
        return self

    def _absences(self, graphs: Levelled, codes: NDArray[np.int64]) -> Absences:
        """What says which classes are settled; nothing is where the profile is not heard."""
        return Absences.fit(graphs, codes, self.seed) if self.trust_ == "profile" else Absences(None)

    def _without_pairs(self, fold: NDArray[np.int64], codes: NDArray[np.int64]) -> Pairwise:
        """What is said of some graphs without two of their users, by learners of the other folds."""
        graphs, found = self.levelled_, Pairwise(*np.zeros((2, len(codes), len(self.classes_))))
        some = _some(len(codes), self.seed)
        for each in np.unique(fold):
            judge, asked = self._absences(graphs.subset(fold != each), codes[fold != each]), some[fold[some] == each]
            found.settled[asked], found.unmoved[asked] = judge.pairwise(graphs.subset(asked), len(self.classes_))
        return found

    def _choose(
        self, n: Floats, votes: Floats, chances: Floats, found: Pairwise, codes: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose limits and τ on held-out graphs. Returns which classes are settled there."""
        said = chances.argmax(axis=1)
        if self.trust_ != "profile":
            return np.full(len(said), UNSETTLED)
        limits = SizeLimits.choose(n, found, said, codes, _SETTLING * self.allowance)
        self.absences_ = self.absences_.limited(limits)
        settled = np.where(found.settled.max(axis=1) > limits.of(n), found.settled.argmax(axis=1), UNSETTLED)
        right = np.array([(_label(votes, chances, settled, each) == codes).mean() for each in _VOICES])
        enough = min((said == codes).mean() - self.allowance, right.max())
        self.voice_ = float(_VOICES[np.argmax(right >= enough)])
        return settled

    def _kept(self) -> dict[str, NDArray[Any]]:
        kept = super()._kept()
        kept["users"], kept["levels"] = self.levelled_.n, self.levelled_.present.astype(np.int32)
        kept["aside"] = self.aside_
        return kept if self.pairwise_ is None else kept | self.pairwise_._asdict()

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
        pairs = kept_chances(Pairwise._fields, weights, (graphs, self.classes_.size))
        self._pairwise_told = None if pairs is None else Pairwise(*pairs)


def _some(graphs: int, seed: int) -> NDArray[np.int64]:
    """The training graphs on which settings are chosen, in order: all of them, or so many that more would not help."""
    return np.sort(np.random.default_rng(seed).permutation(graphs)[:_MOST])


def _levels(X: Graphs) -> Levelled:
    """What users claim, in steps."""
    return X.levelled if isinstance(X, Profiled) else Levelled.of(checked_graphs(X, "RobustProfileClassifier"))


def _sizes(graphs: Levelled) -> Floats:
    """How many users there are, whether they have reported or not, for :class:`Pair`."""
    return np.log1p(graphs.n)[:, None]


def _label(votes: Floats, chances: Floats, settled: NDArray[np.int64], voice: float) -> NDArray[np.int64]:
    """The class of each graph: one that leads the votes by more than τ, or is settled, or is what the profile says."""
    spoken = np.where(settled == UNSETTLED, chances.argmax(axis=1), settled)
    own = np.arange(chances.shape[1]) == spoken[:, None]
    return np.asarray((votes + voice * own).argmax(axis=1))


def _heard(votes: Floats, chances: Floats, settled: NDArray[np.int64], voice: float) -> Floats:
    """Scores that give each graph its label, and say how sure it is: votes and profile together, where they agree."""
    row, label = np.arange(len(votes)), _label(votes, chances, settled, voice)
    heard = votes + _LOUDNESS * np.log(np.maximum(chances, _RARE))
    heard[row, label] = np.where(heard.argmax(axis=1) == label, heard[row, label], heard.max(axis=1) + _NARROW)
    return np.asarray(heard)
