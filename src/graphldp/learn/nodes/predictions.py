"""Predictions of each user's class from features and from a graph, as log probabilities, and their mixture.

Every prediction is fitted on the training users alone and holds for all users. The mixture is

    Pr(k) ∝ Π_v prediction_v(k)^(w_v),   w ≥ 0,

with the exponents of the smallest log loss of users on whom no prediction was fitted: 0 for one that adds nothing to
the others, below 1 for one that is too sure of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from graphldp.learn.nodes.similarity import is_counts, is_sparse, normalised
from graphldp.mechanisms.attributes.category_rr import chances, indicators
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Graph = Any
STRENGTHS = (3.0, 10.0, 30.0)  # of logistic regression, C; the validation users choose
SMOOTH = (30.0, 100.0, 300.0)  # where features are averages over friends, and so smaller
_STEPS = 10  # of spreading
_MILD = 0.3  # naive Bayes counts each word as if it stood alone, and is too sure by far
_DIMENSIONS = 256
_RIDGE = 1e-3  # keeps exponents finite where users are few
_LARGEST = 3.0  # exponent


def linear(rows: Any, codes: Ints, train: Ints, validation: Ints, strengths: tuple[float, ...] = STRENGTHS) -> Floats:
    """Logistic regression, as strong as suits the validation users best."""
    fits = [LogisticRegression(C=c, max_iter=200, tol=1e-3).fit(rows[train], codes[train]) for c in strengths]
    told = [each.predict_log_proba(rows) for each in fits]
    losses = [-each[validation, codes[validation]].mean() for each in told]
    return np.asarray(told[int(np.argmin(losses))])


def words(features: Any, codes: Ints, train: Ints) -> Floats | None:
    """Complement naive Bayes on which words there are; None for features that are not counts."""
    if not is_counts(features):
        return None
    there = sparse.csr_array(features).sign()
    fitted = ComplementNB(alpha=0.5).fit(there[train], codes[train])
    return log_shares(_MILD * fitted.predict_log_proba(there))


def by_category(reports: Reports, codes: Ints, train: Ints) -> Floats:
    """The prediction from a user's own noisy category: log Σ_c Pr(c | class)·Pr(told | c).

    The second factor is the known law of what she told, by her own ε. The first is estimated from the training users,
    without bias, whether the category is the class itself or something else that goes with it.
    """
    true, told = indicators(reports), reports.columns
    sums = np.stack([true[train[codes[train] == k]].sum(axis=0) for k in range(int(codes[train].max()) + 1)])
    shares = np.maximum(sums, 0.0) + 1.0
    shares /= shares.sum(axis=1, keepdims=True)
    own, other = chances(np.exp(-np.asarray(reports.budget.labels)), told.categories)
    return np.asarray(np.log(other[:, None] + (own - other)[:, None] * shares.T[told.labels]))


def compressed(rows: Any, seed: int) -> Any:
    """Rows in few dimensions, so that spreading them on a graph stays cheap; narrow ones as they are."""
    if rows.shape[1] <= _DIMENSIONS:
        return rows.toarray() if is_sparse(rows) else rows
    return TruncatedSVD(_DIMENSIONS, random_state=seed, n_iter=4).fit_transform(rows)


def settled(log_chance: Floats, codes: Ints, train: Ints) -> Floats:
    """Probabilities, with the training users' classes known."""
    chance = np.exp(log_chance)
    chance[train] = np.eye(chance.shape[1])[codes[train]]
    return chance


def spread(graph: Graph, chance: Floats, staying: float) -> Floats:
    """Each user's class from her neighbours, their neighbours, and so on (Zhou et al. 2004).

    The graph is normalised; ``staying`` is how much a user keeps of her own chances at each step.
    """
    found = chance
    for _ in range(_STEPS):
        found = (1 - staying) * (graph @ found) + staying * chance
    return np.asarray(np.log(found / found.sum(axis=1, keepdims=True) + 1e-6))


def around(graph: Graph, chance: Floats) -> Floats:
    """Each user's class from her neighbours alone; from all users where she has hardly any."""
    sums = np.asarray(graph @ chance) + 0.3 * chance.mean(axis=0)
    return np.asarray(np.log(sums / sums.sum(axis=1, keepdims=True) + 1e-6))


def by_features(
    features: Any, rows: Any, graph: Graph, codes: Ints, train: Ints, validation: Ints
) -> dict[str, Floats]:
    """All predictions from features: from a user's own, and from users with similar ones.

    ``rows`` are the features, scaled; the graph says who resembles whom. Models are fitted on ``train``, and how strong
    they are is chosen by ``validation``: the classes of these users are looked at, and no others.
    """
    found = {"features": linear(rows, codes, train, validation)}
    if (bayes := words(features, codes, train)) is not None:
        found["words"] = bayes
    even = normalised(graph, loop=0.5)
    smooth = even @ rows
    found["similar features"] = linear(
        sparse.csr_array(smooth) if is_sparse(smooth) else smooth, codes, train, validation
    )
    chance = settled(found["features"], codes, train)
    found["similar users"] = around(graph, chance)
    found["similar users, spread"] = spread(even, chance, 0.5)
    return found


def by_links(rows: Any, graph: Graph, known: Floats, codes: Ints, train: Ints, validation: Ints) -> dict[str, Floats]:
    """Predictions from friends: from features two and three steps away, and from likely classes.

    ``rows`` are features in few dimensions, if there are any; friendships are weighted by how likely they are; and
    ``known`` are log probabilities before friends are counted. Classes are read as in :func:`by_features`.
    """
    even = normalised(graph, loop=1.0)
    chance = settled(known, codes, train)
    found = {"friends": around(graph, chance)}
    for staying in (0.1, 0.2):
        found[f"friends, spread, {staying:g}"] = spread(even, chance, staying)
    if rows is not None:
        smooth = even @ rows
        for steps in (2, 3):
            smooth = even @ smooth
            found[f"features, {steps} steps"] = linear(smooth, codes, train, validation, SMOOTH)
    return found


def log_shares(scores: Floats) -> Floats:
    """Log probabilities from scores of any scale, [users, classes]."""
    return np.asarray(scores - logsumexp(scores, axis=1, keepdims=True))


def exponents(predictions: Sequence[Floats], codes: NDArray[np.int64]) -> Floats:
    """The exponents w, by log probabilities of the same users, each [users, classes]."""
    stack, rows = np.stack(predictions), np.arange(len(codes))
    own = stack[:, rows, codes]

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = np.tensordot(weights, stack, 1)
        total = logsumexp(scores, axis=1)
        chance = np.exp(scores - total[:, None])
        slope = (np.einsum("vuk,uk->vu", stack, chance) - own).mean(axis=1)
        return float((total - weights @ own).mean() + _RIDGE * weights @ weights), slope + 2 * _RIDGE * weights

    start = np.full(len(predictions), 0.5)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0.0, _LARGEST)] * len(predictions))
    return np.asarray(found.x)


def mixed(predictions: Sequence[Floats], weights: Floats) -> Floats:
    """Log probabilities of all users."""
    return log_shares(np.tensordot(weights, np.stack(predictions), 1))
