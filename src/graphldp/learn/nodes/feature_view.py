"""FeatureView: what public features say of every user's class. It costs no ε, and everything else must beat it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.errors import DataError, bad_parameter
from graphldp.learn.inputs import positions
from graphldp.learn.nodes import predictions
from graphldp.learn.nodes.predictions import exponents, mixed
from graphldp.learn.nodes.similarity import scaled, similar_users
from graphldp.learn.selection import split
from graphldp.neighbour_lists import NeighbourLists
from graphldp.neighbour_lists.labels import NO_LABEL

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_HELD_OUT = (2 / 3, 1 / 3)


@dataclass(frozen=True)
class LabelledUsers:
    """The users whose classes are known, and what they are used for.

    ``classes`` are the labels, sorted, and ``codes`` each user's place among them; where it is not known, 0, which is
    never looked at. Models are fitted on ``train``, and chosen and mixed by ``validation``.
    """

    classes: NDArray[Any]
    codes: Ints = field(repr=False)
    train: Ints = field(repr=False)
    validation: Ints = field(repr=False)

    @classmethod
    def of(
        cls, X: NeighbourLists, y: ArrayLike | None, train: ArrayLike, validation: ArrayLike | None, seed: int
    ) -> LabelledUsers:
        """Check labels and users; without ``validation`` a third of the training users is held out."""
        if y is None and X.attributes is not None and "node_labels" in X.attributes.private_columns():
            raise DataError("These labels are private. If they are public, say so: with_node_labels(…, public=True).")
        labels = np.asarray(X.node_labels if y is None else y)
        if labels.shape != (X.num_users,):
            must_be = f"one label for each of {X.num_users} users, or None where the graph has its own"
            raise bad_parameter("y", "NodeClassifier", must_be, labels.shape)
        first = positions(train, X.num_users, "train", "NodeClassifier")
        if validation is None:
            kept, held = split(labels[first], _HELD_OUT, seed)
            first, second = first[kept], first[held]
        else:
            second = positions(validation, X.num_users, "validation", "NodeClassifier")
        if len(np.intersect1d(first, second)):
            raise DataError("A user must not be both a training and a validation user.")
        known = np.concatenate((first, second))
        if labels.dtype.kind in "iu" and (labels[known] == NO_LABEL).any():
            raise DataError("Training and validation users must have labels.")
        classes, codes = np.unique(labels[first], return_inverse=True)
        if len(classes) < 2:
            raise DataError(f"NodeClassifier needs training users of two classes or more. Got {len(classes)} instead.")
        if not np.isin(labels[second], classes).all():
            raise DataError("Validation users must be of classes that training users have.")
        coded = np.zeros(X.num_users, np.int64)
        coded[first], coded[second] = codes, np.searchsorted(classes, labels[second])
        return cls(classes, coded, first, second)

    def mixed(self, made: dict[str, Floats]) -> tuple[dict[str, float], Floats]:
        """Predictions mixed by the validation users: the exponent of each, and everybody's log probabilities."""
        each = list(made.values())
        weights = exponents([one[self.validation] for one in each], self.codes[self.validation])
        return dict(zip(made, weights.tolist(), strict=True)), mixed(each, weights)

    def prior(self) -> Floats:
        """The prior: how common each class is, the same for everybody; all there is without features."""
        share = np.bincount(self.codes[self.train], minlength=len(self.classes)) / len(self.train)
        return np.broadcast_to(np.log(share), (len(self.codes), len(self.classes)))


@dataclass(frozen=True, eq=False)
class FeatureView:
    """What public features say of every user's class.

    Args:
        users: whose classes are known.
        predictions: log probabilities [users, classes], from the features in several ways.
        weights: the exponent of each in the mixture.
        log_proba: the mixture.
        rows: the features, scaled; None where there are none.

    Example::

        view = gl.FeatureView.of(graphs, train=train, validation=val)
        reports = gl.FriendCounts(1.0).randomize(graphs.with_groups(view.groups), rng=7)
    """

    users: LabelledUsers
    predictions: dict[str, Floats] = field(repr=False)
    weights: dict[str, float]
    log_proba: Floats = field(repr=False)
    rows: Any = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        X: NeighbourLists,
        y: ArrayLike | None = None,
        *,
        train: ArrayLike,
        validation: ArrayLike | None = None,
        seed: int = 0,
    ) -> Self:
        """Look at public features, and at classes of the training and validation users.

        Args:
            X: one graph, raw or reported: its edges are not looked at, and private features are not either.
            y: a label for each user, of any type that sorts, from X by default. Only those of the two sets are read.
            train: the users to fit on, as positions or as a mask.
            validation: the users to choose and mix by; a third of ``train`` by default.
            seed: of that third.
        """
        if not isinstance(X, NeighbourLists) or X.num_graphs != 1:
            raise bad_parameter("X", "FeatureView", "one graph, raw or reported", X)
        users = LabelledUsers.of(X, y, train, validation, seed)
        public = None if X.attributes is None else X.attributes.public()
        if public is None or public.features is None:
            if X.features is not None:
                raise DataError(
                    "These features are private. If they are public, say so: with_features(…, public=True)."
                )
            return cls(users, {"prior": users.prior()}, {"prior": 1.0}, users.prior())
        rows = scaled(public.features)
        known = users.codes, users.train, users.validation
        found = predictions.by_features(public.features, rows, similar_users(rows), *known)
        return cls(users, found, *users.mixed(found), rows)

    @property
    def alone(self) -> Floats:
        """The prediction of logistic regression on the features: the plainest control."""
        return self.predictions.get("features", self.log_proba)

    @property
    def similar(self) -> Floats:
        """The prediction by the graph of similar users: the control of all that spreads features on a graph."""
        return self.predictions.get("similar features", self.log_proba)

    @cached_property
    def groups(self) -> Ints:
        """A public group for each user: her class if she is a training user, else the one that her features suggest."""
        found = np.asarray(self.log_proba.argmax(axis=1), np.int64)
        found[self.users.train] = self.users.codes[self.users.train]
        return found
