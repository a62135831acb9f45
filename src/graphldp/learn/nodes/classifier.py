"""NodeClassifier: the class of every user of one graph, from public features and noisy reports about friends."""

from __future__ import annotations

import hashlib
import os
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import DataError, FormatError, bad_parameter
from graphldp.learn.inputs import positions, provenance_of
from graphldp.learn.nodes import predictions
from graphldp.learn.nodes.blocks import BlockModel
from graphldp.learn.nodes.feature_view import FeatureView, LabelledUsers
from graphldp.learn.nodes.links import link_graph
from graphldp.learn.nodes.similarity import parts_of
from graphldp.learn.progress import shown_steps
from graphldp.learn.saving import SavedClassifier, read
from graphldp.mechanisms import DPRR, RR, Blink, FriendCounts, Mechanism, NonPrivFull
from graphldp.mechanisms.named import drawn_by
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

Floats = NDArray[np.float64]
LAWS: tuple[type[Mechanism], ...] = (FriendCounts, RR, DPRR, Blink, NonPrivFull)
"""The mechanisms whose reports it understands."""


class NodeClassifier(SavedClassifier):
    """A classifier of single users, by everything that is known of them.

    It combines several predictions for each user, as log probabilities: from her features, from users with similar
    features, and from her friends. Friends enter through :class:`graphldp.FriendCounts`, by a block model, or
    through lists of :class:`graphldp.RR`, :class:`graphldp.DPRR` or :class:`graphldp.Blink`, by a graph of likely
    friendships. The predictions are mixed by exponents that suit the validation users best.

    It is transductive: all users must be there when it is fitted, and it labels these users only. It follows
    scikit-learn otherwise::

        view = gl.FeatureView.of(graphs, train=train, validation=val)
        reports = gl.FriendCounts(1.0).randomize(graphs.with_groups(view.groups), rng=7)
        clf = gl.NodeClassifier(seed=0).fit(reports, train=train, validation=val)
        clf.predict(reports)[test], clf.score(reports, users=test)

    Args:
        seed: of whatever is drawn.

    Attributes:
        classes_: the labels, sorted.
        weights_: the exponent of each prediction; 0 for one that adds nothing.
        view_: what the features alone say, a control; not kept in a file.
        provenance_: mechanism, ε, dataset, seed and version, as kept in a saved file.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def fit(
        self,
        X: Reports,
        y: ArrayLike | None = None,
        *,
        train: ArrayLike,
        validation: ArrayLike | None = None,
        view: FeatureView | None = None,
        trusted: None = None,
        verbose: bool = False,
    ) -> Self:
        """Learn the classes of all users from those of some.

        Args:
            X: reports of one graph, by FriendCounts, RR, DPRR, Blink or NonPrivFull.
            y: a label for each user, from X by default. Only those of the two sets are read.
            train: the users to fit on, as positions or as a mask.
            validation: the users to choose and mix by; a third of ``train`` by default.
            view: what the features say of the same users, where that was computed before.
            trusted: refused: it labels the users of one graph, and learns from those in ``train``.
            verbose: show a bar of its steps; one line at the end where nobody watches.
        """
        if trusted is not None:
            must_be = "left out: it learns from the users of one graph, and 'train' says from whom"
            raise bad_parameter("trusted", "NodeClassifier", must_be, trusted)
        drawn_by(X, "NodeClassifier", *LAWS)
        if X.num_graphs != 1 or (X.missing is not None and X.missing.any()):
            raise bad_parameter("X", "NodeClassifier", "reports of one graph, from all of its users", X)
        with shown_steps(verbose, 3, type(self).__name__) as done:
            if view is None:
                view = FeatureView.of(X, y, train=train, validation=validation, seed=self.seed)
            elif not _same(view.users, LabelledUsers.of(X, y, train, validation, self.seed)):
                raise DataError("The view must be of the same users, labels and sets.")
            done()
            told = view.predictions | self._by_friends(X, view)
            if X.columns.labels is not None:
                told["noisy category"] = predictions.by_category(X, view.users.codes, view.users.train)
            done()
            self.weights_, self.log_proba_ = view.users.mixed(told)
            done()
        self.classes_, self.view_, self.fingerprint_ = view.users.classes, view, fingerprint(X)
        self.reports_: Reports | None = X
        self.provenance_ = provenance_of(X, self.seed)
        return self

    def _by_friends(self, X: Reports, view: FeatureView) -> dict[str, Floats]:
        users = view.users
        if X.friend_counts is not None:
            model = BlockModel.fit(X.friend_counts, X.epsilon1, users.codes, users.train)
            return {"friend counts": model.log_likelihood(X.friend_counts, X.epsilon1)}
        graph = link_graph(X, predictions.settled(view.log_proba, users.codes, users.train), self.seed)
        rows = None if view.rows is None else predictions.compressed(view.rows, self.seed)
        return predictions.by_links(rows, graph, view.log_proba, users.codes, users.train, users.validation)

    def predict_proba(self, X: NeighbourLists) -> Floats:
        """The probability of each class, [users, classes], in the order of ``classes_``."""
        check_is_fitted(self)
        if fingerprint(X) != self.fingerprint_ if self.reports_ is None else X is not self.reports_:
            raise DataError("NodeClassifier is transductive: it classifies the users that it was fitted on, no others.")
        return np.asarray(np.exp(self.log_proba_))

    def score(self, X: Reports, y: ArrayLike | None = None, *, users: ArrayLike) -> float:
        """The share of some users whose label is found.

        Args:
            X: the reports that it was fitted on.
            y: a label for each user, from X by default.
            users: whose, as positions or a mask: those that were neither fitted on nor chosen by.
        """
        found, truth = self.predict(X), np.asarray(X.node_labels if y is None else y)
        if truth.shape != found.shape:
            raise bad_parameter("y", "NodeClassifier", f"one label for each of {len(found)} users", truth.shape)
        some = positions(users, X.num_users, "users", "NodeClassifier")
        return float(np.mean(found[some] == truth[some]))

    def _learned(self) -> dict[str, Any]:
        """The log probabilities that are kept of its users."""
        spec = {"users": self.fingerprint_, "weights": self.weights_}
        return {"spec": spec, "weights": {"log_proba": self.log_proba_}}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a classifier that :meth:`save` wrote. It labels the same users, by what it knew of them.

        Its users are recognised by their number and by their public features, in raw graphs and in reports alike.

        Raises:
            FormatError: for a file that is not such a classifier, is damaged, or was written by a newer version.
        """
        saved = read(path, "NodeClassifier")
        told, users = saved.weights.get("log_proba", np.zeros(0)), saved.spec.get("users")
        weights = saved.spec.get("weights")
        whole = told.dtype == np.float64 and told.ndim == 2 and told.shape[1] == len(saved.classes) > 1
        if not (whole and not np.isnan(told).any() and isinstance(users, str) and isinstance(weights, dict)):
            raise FormatError(f"{path}: damaged (it does not hold a probability of each class for each user).")
        try:
            made = cls(**saved.params)
        except TypeError as error:
            raise FormatError(f"{path}: damaged ({error})") from None
        made.classes_, made.log_proba_, made.provenance_ = saved.classes, told, dict(saved.provenance)
        made.reports_, made.fingerprint_, made.weights_ = None, users, weights
        return made


def fingerprint(X: NeighbourLists) -> str:
    """The digest that users are recognised by: of their number and their public features. Edges are not read."""
    public = None if X.attributes is None else X.attributes.public()
    columns: Any = None if public is None else public.features
    found = hashlib.sha256(str(X.sizes.tolist()).encode())
    for part in () if columns is None else parts_of(columns):
        found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def _same(one: LabelledUsers, two: LabelledUsers) -> bool:
    pairs = (
        (one.classes, two.classes),
        (one.codes, two.codes),
        (one.train, two.train),
        (one.validation, two.validation),
    )
    return all(np.array_equal(a, b) for a, b in pairs)
