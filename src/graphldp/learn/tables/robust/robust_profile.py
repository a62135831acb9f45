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

**Liars in training graphs.** Claims have to fit together (:mod:`graphldp.mechanisms.degrees.support`), and honest ones
fail to in at most one training graph of a thousand. Where more fail, somebody lied, and what was learned from single
claims is not to be trusted: the *many* decide, all users but the busiest few
(:mod:`graphldp.learn.tables.robust.many`). How many users have to be set aside until the others fit says about how many
lied. From 2 % on the many are not heard either, and n decides alone: nobody can lie about it.

**Graphs without labels** are a second witness. Liars whose claims fit together teach a judge the wrong thing, and it
then contradicts others on graphs where nobody lies (:mod:`graphldp.learn.tables.robust.agreement`).
:meth:`RobustProfileClassifier.checked` compares, and hears no judge who is contradicted. Nothing is promised of a graph
of which the profile is not heard.

**The price.** ``allowance`` is the accuracy that may be lost against the profile alone
(:class:`graphldp.learn.tables.robust.limits.LabelLimits`). With a larger one fewer labels hang on the profile, and more
are promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from graphldp.allowance import ALLOWANCE, check_allowance
from graphldp.learn.calibration import Calibration
from graphldp.learn.inputs import checked_graphs, filtered
from graphldp.learn.tables.mixture import Pair, kept_chances
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.learn.tables.robust.absences import UNSETTLED, Absences
from graphldp.learn.tables.robust.agreement import FEWEST, PROFILE, Agreements, Statements, Trust
from graphldp.learn.tables.robust.levels import FEWEST_LEVELS, LARGEST, LEVELS, Levelled
from graphldp.learn.tables.robust.limits import LabelLimits, heard_scores
from graphldp.learn.tables.robust.many import LEFT_OUT, Many
from graphldp.learn.tables.robust.misfits import set_aside, trusted
from graphldp.learn.tables.robust.votes import Votes
from graphldp.learn.tables.tabular import Floats, Graphs, chances_of

_SERVES = 0.1  # how much more accurate than the commonest label n has to be to decide alone
_MOST = 2000  # training graphs on which settings are chosen
_JUDGES = ("settled", "n", *LEFT_OUT)  # who says something of held-out folds that takes long to compute
_HELD = "held_"  # before their names in a file


class Compared(NamedTuple):
    """What a classifier was compared with.

    Args:
        graphs: those that are to be labelled.
        table: their rows, by which they are known again.
        levelled: their levels, likewise.
        said: what it says of them.
        heard: what may be heard of each, as its place in :data:`Trust`.
    """

    graphs: Graphs
    table: Floats
    levelled: Levelled
    said: Statements
    heard: NDArray[np.int64]


class RobustProfileClassifier(ProfileClassifier):
    """Label graphs by votes of bounded weight, by what does not hang on two users, or by their profile.

    Args:
        allowance: the accuracy that may be lost on held-out folds for the sake of promises.
        seed: of trees and folds; the same seed gives the same classifier.

    Attributes:
        voice_: τ.
        absences_: what says which classes are settled.
        crowds_: the quiet and the many, by name.
        trust_: ``"profile"``; ``"many"`` or ``"size"`` where claims in training graphs do not fit together, or graphs
            without labels contradict what was learned from them.

    Others are as of :class:`ProfileClassifier`.

    Example::

        asked = reports.subset(test)
        clf = RobustProfileClassifier().fit(reports.subset(train)).checked(asked)
        clf.predict(asked), clf.certify(asked)
    """

    _by_folds_told: Mapping[str, Floats] | None = None  # by a file, while it is loaded
    _compared: Compared | None = None

    def __init__(self, allowance: float = ALLOWANCE, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.allowance = allowance

    def fit(self, X: Graphs, y: ArrayLike | None = None, *, verbose: bool = False) -> Self:
        """Learn from graphs, as :meth:`ProfileClassifier.fit` does."""
        check_allowance(self.allowance, type(self).__name__)
        self.levelled_, self.aside_ = _levels(X), X.aside if isinstance(X, Profiled) else set_aside(X)
        self._by_folds_told = None  # a file's is of its own graphs
        self._compared = None
        return super().fit(X, y, verbose=verbose)

    def checked(self, X: Graphs) -> Self:
        """The classifier for graphs that are to be labelled: it hears no judge whom they contradict.

        Args:
            X: all graphs that are to be labelled, the more the better; their labels are not looked at. Up to 20 say
                nothing.

        Returns:
            A copy for these graphs, with less trust where they contradict. What it hears of a graph is decided by all
            others. It keeps what it says of them, so that labels and promises take no second look. Of other graphs it
            hears the least that it hears of any of these.
        """
        check_is_fitted(self)
        if self.learned_trust_ == "size" or len(X) <= FEWEST:
            return self
        warned, said = copy(self), self.statements(X)
        warned._compared = Compared(X, self._rows(X), _levels(X), said, self.believed(said))
        warned.trust_ = get_args(Trust)[warned._compared.heard.min()]
        return warned

    def believed(self, found: Statements) -> NDArray[np.int64]:
        """What may be heard of each graph, as its place in :data:`Trust`, by what is said of all others."""
        learned = np.full(len(found.size), get_args(Trust).index(self.learned_trust_))
        if self.agreed_ is None or len(learned) <= FEWEST:
            return learned
        allowed = self.agreed_.trust(Agreements.of_others(found), size_serves=self.size_serves_)
        return np.asarray(np.minimum(learned, allowed))

    def _known(self, X: Graphs) -> Compared | None:
        """What it was compared with, if these are the same graphs."""
        seen = self._compared
        if seen is None or X is seen.graphs:
            return seen
        if len(X) != len(seen.graphs) or not np.array_equal(self._rows(X), seen.table, equal_nan=True):
            return None
        mine, theirs = _levels(X), seen.levelled
        same = (np.array_equal(getattr(mine, name), getattr(theirs, name)) for name in ("n", "present", "private"))
        return seen if all(same) else None

    def statements(self, X: Graphs) -> Statements:
        """What each judge says of graphs, and the whole classifier."""
        if (seen := self._known(X)) is not None:
            return seen.said
        graphs, chances, classes = _levels(X), super().uncalibrated(X), len(self.classes_)
        quiet, many = (self.crowds_[each].chances(graphs, classes) for each in ("quiet", "many"))
        votes = self.votes_.scores(graphs)
        heard = heard_scores(votes, chances, self.absences_.settled(graphs), self.voice_)
        return Statements(self._by_size(graphs), quiet, many, votes, chances, heard)

    def predict_proba(self, X: Graphs) -> Floats:
        """The probability of each class, [graphs, classes]: calibrated, and never above what the folds support."""
        heard = self._heard_of(X)
        found = np.zeros((len(heard), len(self.classes_)))
        for place, trust in enumerate(get_args(Trust)):
            if (own := heard == place).any():
                found[own] = self.calibrations_[trust].apply(self._chances(X, trust)[own])
        return found

    def uncalibrated(self, X: Graphs) -> Floats:
        """What the judge that is trusted says as probabilities, [graphs, classes]."""
        check_is_fitted(self)
        return self._chances(X, self.trust_)

    def _heard_of(self, X: Graphs) -> NDArray[np.int64]:
        """What is heard of each graph, as its place in :data:`Trust`."""
        check_is_fitted(self)
        if (seen := self._known(X)) is not None:
            return seen.heard
        return np.full(len(X), get_args(Trust).index(self.trust_))

    def _chances(self, X: Graphs, trust: Trust) -> Floats:
        """What one judge says of all graphs as probabilities, [graphs, classes]."""
        if trust == "size":
            return self._by_size(_levels(X))
        said = self.statements(X)
        return said.many if trust == "many" else np.asarray(softmax(said.heard, axis=1))

    def certify(self, X: Graphs) -> NDArray[np.int64]:
        """How many liars each label withstands.

        Args:
            X: what :meth:`predict` takes; where :meth:`checked` compared graphs, the same graphs.

        Returns:
            [graphs]: the largest k such that the label of :meth:`predict` stands whatever up to k of the graph's
            private users send, or if they stay away; not if one of them becomes a public user, whose list is taken for
            true. 0 promises nothing: one user may change it. Nothing is promised of what a filter left, of other
            graphs than were compared, nor where the profile is not heard. Where n alone was learned, no lie changes a
            label.
        """
        heard, graphs = self._heard_of(X), _levels(X)
        if filtered(X) or (self._compared is not None and self._known(X) is None):
            return np.zeros(len(X), np.int64)
        if self.learned_trust_ == "size":
            return np.asarray(np.minimum(graphs.private.sum(axis=1), graphs.reported - 1), np.int64)
        codes = self._chances(X, "profile").argmax(axis=1)
        withstood = self.votes_.withstood(graphs, codes, self.voice_)
        led = self.votes_.withstood(graphs, codes, -self.voice_) > 0  # the votes alone can give no other label
        rest = np.flatnonzero(led & (withstood == 0))
        withstood[rest] = self.absences_.unmoved(graphs.subset(rest)) == codes[rest]
        return np.where(heard == PROFILE, withstood, 0)

    def _by_size(self, graphs: Levelled) -> Floats:
        """What n alone says of graphs."""
        return chances_of(self.by_size_, _sizes(graphs), len(self.classes_))

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
        self.crowds_ = {each: Many.fit(graphs, codes, each, self.seed) for each in LEFT_OUT}
        self.by_size_ = Pair(self.seed).fit(_sizes(graphs), codes)
        self.voice_, self.agreed_, self.size_serves_ = float(self.trust_ == "profile"), None, False
        self.by_folds_: Mapping[str, Floats] | None = None
        self.calibrations_: dict[Trust, Calibration] = dict.fromkeys(get_args(Trust), Calibration())
        held_out = self.mixture_.held_out
        if held_out is None:
            return self
        fold = held_out.fold
        votes = np.zeros((len(codes), classes))
        for held in (fold == each for each in np.unique(fold)):
            votes[held] = Votes.fit(graphs.subset(~held), codes[~held], classes).scores(graphs.subset(held))
        self.by_folds_, self._by_folds_told = self._by_folds_told or self._by_folds(fold, codes), None
        some = _some(len(codes), self.seed)
        votes, chances, asked = votes[some], held_out.chances[some], codes[some]
        certain, size, quiet, many = (self.by_folds_[name][some] for name in _JUDGES)
        heard = heard_scores(votes, chances, self._choose(votes, chances, certain, asked), self.voice_)
        self.agreed_ = Agreements.of(Statements(size, quiet, many, votes, chances, heard))
        self.size_serves_ = bool(
            (size.argmax(axis=1) == asked).mean() >= np.bincount(asked).max() / len(asked) + _SERVES
        )
        self.calibrations_ = {
            "profile": Calibration.fit(softmax(heard, axis=1), asked),
            "many": Calibration.fit(many, asked),
            "size": Calibration.fit(size, asked),
        }
        return self

    def _absences(self, graphs: Levelled, codes: NDArray[np.int64]) -> Absences:
        """What says which classes are settled; nothing is where the profile is not heard."""
        return Absences.fit(graphs, codes, self.seed) if self.trust_ == "profile" else Absences(None)

    def _by_folds(self, fold: NDArray[np.int64], codes: NDArray[np.int64]) -> Mapping[str, Floats]:
        """What judges who learned from the other folds say of some graphs, by their names."""
        graphs, classes, some = self.levelled_, len(self.classes_), _some(len(codes), self.seed)
        found = {name: np.zeros((len(codes), classes)) for name in _JUDGES}
        for each in np.unique(fold):
            taught, own, asked = graphs.subset(fold != each), codes[fold != each], some[fold[some] == each]
            told = graphs.subset(asked)
            found["settled"][asked] = self._absences(taught, own).certainty(told, classes)
            found["n"][asked] = chances_of(Pair(self.seed).fit(_sizes(taught), own), _sizes(told), classes)
            for crowd in LEFT_OUT:
                found[crowd][asked] = Many.fit(taught, own, crowd, self.seed).chances(told, classes)
        return found

    def _choose(self, votes: Floats, chances: Floats, settled: Floats, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose limits on held-out graphs. Returns which classes are settled there."""
        if self.trust_ != "profile":
            return np.full(len(codes), UNSETTLED)
        limits = LabelLimits.choose(votes, chances, settled, codes, self.allowance)
        self.voice_, self.absences_ = limits.voice, self.absences_.limited(limits.sure)
        return np.where(settled.max(axis=1) > limits.sure, settled.argmax(axis=1), UNSETTLED)

    def _kept(self) -> dict[str, NDArray[Any]]:
        kept = super()._kept()
        kept["users"], kept["levels"] = self.levelled_.n, self.levelled_.present.astype(np.int32)
        kept["aside"] = self.aside_
        return kept | {_HELD + name: chances for name, chances in (self.by_folds_ or {}).items()}

    def _take(self, weights: Mapping[str, NDArray[Any]], graphs: int) -> None:
        super()._take(weights, graphs)
        users, levels = (np.asarray(weights.get(name, np.zeros(0))) for name in ("users", "levels"))
        whole = users.dtype == np.float64 and levels.dtype == np.int32 and users.shape == (graphs,) and levels.ndim == 2
        if not (whole and len(levels) == graphs and FEWEST_LEVELS <= levels.shape[1] <= len(LEVELS)):
            raise ValueError("it does not hold a row of levels for each graph")
        whole = bool((users == np.rint(users)).all() and (users < LARGEST).all())
        if not (whole and (levels >= 0).all() and (levels.sum(axis=1) <= users).all()):
            raise ValueError("its levels hold more users than there are")
        aside = np.asarray(weights.get("aside", np.zeros(0)))
        if aside.dtype != np.int64 or aside.shape != (graphs,) or not ((aside >= 0) & (aside <= users)).all():
            raise ValueError("it does not say for each graph how many claims do not fit")
        self.aside_, present = aside, levels.astype(np.float64)
        self.levelled_ = Levelled(users, present, present)
        told = kept_chances([_HELD + name for name in _JUDGES], weights, (graphs, self.classes_.size))
        self._by_folds_told = None if told is None else dict(zip(_JUDGES, told, strict=True))


def _some(graphs: int, seed: int) -> NDArray[np.int64]:
    """The training graphs on which settings are chosen, in order: all of them, or so many that more would not help."""
    return np.sort(np.random.default_rng(seed).permutation(graphs)[:_MOST])


def _levels(X: Graphs) -> Levelled:
    """What users claim, in steps."""
    return X.levelled if isinstance(X, Profiled) else Levelled.of(checked_graphs(X, "RobustProfileClassifier"))


def _sizes(graphs: Levelled) -> Floats:
    """How many users there are, whether they have reported or not, for :class:`Pair`."""
    return np.log1p(graphs.n)[:, None]
