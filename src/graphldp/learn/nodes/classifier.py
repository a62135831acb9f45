"""NodeClassifier: the class of every user of one graph, from public features and noisy reports about friends."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import DataError, bad_parameter
from graphldp.learn.nodes import opinions
from graphldp.learn.nodes.blocks import BlockModel
from graphldp.learn.nodes.feature_view import FeatureView, LabelledUsers, positions
from graphldp.learn.nodes.links import link_graph
from graphldp.mechanisms import RR, Blink, FriendCounts, NonPrivFull
from graphldp.mechanisms.named import drawn_by
from graphldp.reports import Reports

Floats = NDArray[np.float64]


class NodeClassifier(ClassifierMixin, BaseEstimator):
    """Classes of single users, by everything that is known of them.

    It holds several opinions of each user, as log probabilities: what her features say, alone and through users like
    her, and what her friends say. Friends are heard through :class:`graphldp.FriendCounts`, by a block model, or
    through lists of :class:`graphldp.RR` or :class:`graphldp.Blink`, by a graph of likely friendships. The opinions are
    mixed by exponents that suit the validation users best.

    It is transductive: all users are there when it is fitted, and it says something of these alone. It follows
    scikit-learn otherwise::

        view = gl.FeatureView.of(graphs, train=train, validation=val)
        reports = gl.FriendCounts(1.0).randomize(graphs.with_groups(view.groups), rng=7)
        clf = gl.NodeClassifier(seed=0).fit(reports, train=train, validation=val)
        clf.predict(reports)[test], clf.score(reports, users=test)

    Args:
        seed: of whatever is drawn.

    Attributes:
        classes_: the labels, sorted.
        weights_: the exponent of each opinion; 0 for one that adds nothing.
        view_: what the features alone say, a control.
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
    ) -> Self:
        """Learn the classes of all users from those of some.

        Args:
            X: reports of one graph, by FriendCounts, RR, Blink or NonPrivFull.
            y: a label for each user, from X by default. Only those of the two sets are read.
            train: the users to fit on, as positions or as a mask.
            validation: the users to choose and mix by; a third of ``train`` by default.
            view: what the features say of the same users, where that was computed before.
        """
        drawn_by(X, "NodeClassifier", FriendCounts, RR, Blink, NonPrivFull)
        if X.num_graphs != 1 or (X.missing is not None and X.missing.any()):
            raise bad_parameter("X", "NodeClassifier", "reports of one graph, from all of its users", X)
        if view is None:
            view = FeatureView.of(X, y, train=train, validation=validation, seed=self.seed)
        elif not _same(view.users, LabelledUsers.of(X, y, train, validation, self.seed)):
            raise DataError("The view must be of the same users, labels and sets.")
        told = view.opinions | self._by_friends(X, view)
        self.weights_, self.log_proba_ = view.users.mixed(told)
        self.classes_, self.view_, self.reports_ = view.users.classes, view, X
        return self

    def _by_friends(self, X: Reports, view: FeatureView) -> dict[str, Floats]:
        users = view.users
        if X.friend_counts is not None:
            model = BlockModel.fit(X.friend_counts, X.epsilon1, users.codes, users.train)
            return {"friend counts": model.log_likelihood(X.friend_counts, X.epsilon1)}
        graph = link_graph(X, opinions.settled(view.log_proba, users.codes, users.train), self.seed)
        rows = None if view.rows is None else opinions.compressed(view.rows, self.seed)
        return opinions.by_links(rows, graph, view.log_proba, users.codes, users.train, users.validation)

    def predict_proba(self, X: Reports) -> Floats:
        """The probability of each class, [users, classes], in the order of ``classes_``."""
        check_is_fitted(self)
        if X is not self.reports_:
            raise DataError("NodeClassifier is transductive: it classifies the users that it was fitted on, no others.")
        return np.asarray(np.exp(self.log_proba_))

    def predict(self, X: Reports) -> NDArray[Any]:
        """The likeliest label of each user."""
        likeliest: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return likeliest

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
        some = positions(users, X.num_users, "users")
        return float(np.mean(found[some] == truth[some]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False  # labels may come with the reports
        return tags


def _same(one: LabelledUsers, two: LabelledUsers) -> bool:
    pairs = (
        (one.classes, two.classes),
        (one.codes, two.codes),
        (one.train, two.train),
        (one.validation, two.validation),
    )
    return all(np.array_equal(a, b) for a, b in pairs)
