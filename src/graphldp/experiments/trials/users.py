"""Run trials about single users of one graph: split → what features say → groups → draw → fit → score.

The order differs from that of trials about whole graphs: users count their friends by public group, and the groups
follow from the features and from the classes of the training users.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, GraphLDPError, bad_parameter
from graphldp.experiments.cells import Row
from graphldp.experiments.draws import (
    REPORTED,
    Context,
    Draw,
    check_memory,
    drawn_bytes,
    given_lists,
    load,
    mechanism_of,
    reports_of,
)
from graphldp.experiments.trial import LPGNNS, NODES, Trial
from graphldp.learn.metrics import evaluate
from graphldp.learn.selection import split
from graphldp.mechanisms import CategoryRR, Joint, NonPrivFull
from graphldp.mechanisms.named import at_hand, drawn_by, name_of
from graphldp.neighbour_lists import NeighbourLists
from graphldp.neighbour_lists.labels import NO_LABEL
from graphldp.reports import Reports

if TYPE_CHECKING:
    from graphldp.learn.nodes.feature_view import FeatureView

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_LISTS = 3  # times the bytes of drawn lists: turned around and joined, to find pairs that name each other
_COLUMNS = 12  # bytes for each user and column of private features
_PAIRS = 3  # bytes for each pair of users that Blink's server looks at


class UserSets(NamedTuple):
    """Positions of the users to fit on, to choose by and to measure by."""

    train: Ints
    validation: Ints
    test: Ints


def split_users(X: NeighbourLists, ratios: Sequence[float], seed: int) -> UserSets:
    """Divide the labelled users of one graph, each class in proportion; users without a label are in no set.

    Args:
        X: one graph, raw or reported, whose labels are public.
        ratios: three shares.
        seed: of the split.
    """
    if X.num_graphs != 1 or X.node_labels is None:
        raise DataError("To label single users, there must be one graph, and labels of its users to learn from.")
    if X.attributes is not None and "node_labels" in X.attributes.private_columns():
        raise DataError("The users' labels are private. If they are public, say so: with_node_labels(…, public=True).")
    known = np.flatnonzero(X.node_labels != NO_LABEL)
    return UserSets(*(known[part] for part in split(X.node_labels[known], ratios, seed)))


def check_users(X: NeighbourLists, draw: Draw, ratios: Sequence[float]) -> None:
    """Raise errors that every seed would meet: too few users to divide, or reports that the classifier cannot read."""
    from graphldp.learn.nodes.classifier import LAWS

    split_users(X, ratios, 0)
    if isinstance(X, Reports):
        drawn_by(X, "NodeClassifier", *LAWS)
    elif at_hand(draw.mechanism).kind not in LAWS:
        known = ", ".join(map(name_of, LAWS))
        raise bad_parameter("mechanism", "NodeClassifier", f"one of {known}", draw.mechanism)


def run(trials: Sequence[Trial], context: Context) -> Iterator[list[Row]]:
    """Run trials about single users; those of one split follow each other, and in it those of one draw."""
    for trial in sorted(trials, key=lambda each: (each.draw.dataset, each.ratios, each.seed, repr(each.draw))):
        try:
            check_memory(_need(trial, context), context)
            yield [_scored(trial, context)]
        except GraphLDPError as error:
            yield [Row.refused(trial.cell, error)]


def _need(trial: Trial, context: Context) -> int:
    lists = given_lists(trial.draw, context)
    pairs = _PAIRS * lists.num_users**2 if trial.classifier == "node-blink" else 0
    if trial.classifier in LPGNNS and lists.features is not None:
        pairs = _COLUMNS * lists.num_users * lists.features.shape[1]
    return _LISTS * drawn_bytes(trial.draw, lists) + pairs


def _scored(trial: Trial, context: Context) -> Row:
    sets, view = _view(trial.draw.dataset, trial.draw.mechanism == REPORTED, trial.ratios, trial.seed, context)
    model = None
    if trial.classifier == NODES:
        from graphldp.learn.nodes.classifier import NodeClassifier

        model = NodeClassifier(seed=trial.seed)
        model.fit(_reports(trial.draw, view, context), train=sets.train, validation=sets.validation, view=view)
        told = model.log_proba_
    elif trial.classifier in LPGNNS:
        told = _by_lpgnn(trial, view, context)
    elif trial.classifier == "node-blink":
        from graphldp.learn.nodes.peers import by_blink

        told = view.users.mixed(view.predictions | by_blink(_reports(trial.draw, view, context), view, trial.seed))[1]
    else:
        told = {"node-features": view.alone, "node-similar": view.similar}.get(trial.classifier, view.log_proba)
    labels = np.asarray(given_lists(trial.draw, context).node_labels)
    measured, chosen = (
        evaluate(view.users.classes, np.exp(told[users]), labels[users]) for users in (sets.test, sets.validation)
    )
    numbers = {**measured.numbers(view.users.classes), "val_accuracy": chosen.accuracy}
    return Row(trial.cell, "done", numbers, model=model)


def _by_lpgnn(trial: Trial, view: FeatureView, context: Context) -> Floats:
    from graphldp.learn.nodes.peers import Whose, by_lpgnn

    whose: dict[str, Whose] = {"lpgnn-other": "another's", "lpgnn-random": "random"}
    reports = _columns(trial.draw, context)
    own = whose.get(trial.classifier, "own")
    return by_lpgnn(reports, view.users, trial.seed, own, noisy_labels=trial.classifier == "lpgnn-labels")


@lru_cache(maxsize=1)
def _columns(draw: Draw, context: Context) -> Reports:
    """The noisy features and labels of users, with ε spent on each; all friendships are public."""
    graphs = load(draw.dataset, context)
    classes, codes = np.unique(np.asarray(graphs.node_labels), return_inverse=True)
    hidden = graphs.with_features(graphs.features, public=False).with_node_labels(codes, public=False)
    told = (mechanism_of(draw, hidden), CategoryRR(draw.epsilon or 1.0, categories=len(classes)))
    return Joint(edges=NonPrivFull(), features=told).randomize(hidden, rng=draw.seed)


@lru_cache(maxsize=1)
def _view(
    dataset: str, reported: bool, ratios: tuple[float, ...], seed: int, context: Context
) -> tuple[UserSets, FeatureView]:
    """The sets of a split, and what features say; kept until the next one is asked for."""
    from graphldp.learn.nodes.feature_view import FeatureView

    lists = given_lists(Draw(dataset, REPORTED if reported else ""), context)
    sets = split_users(lists, ratios, seed)
    return sets, FeatureView.of(lists, train=sets.train, validation=sets.validation, seed=seed)


def _reports(draw: Draw, view: FeatureView, context: Context) -> Reports:
    """The noisy friend counts, by the graph's own groups or else by groups that the features suggest."""
    if draw.mechanism == REPORTED:
        return reports_of(draw, context)
    graphs = load(draw.dataset, context)
    if graphs.groups is None:
        graphs = graphs.with_groups(view.groups)
    return mechanism_of(draw, graphs).randomize(graphs, rng=draw.seed)
