"""Peers: others' proposals for classes of single users, with our learners on top.

**Blink** (Zhu, Tan & Xiao, CCS 2023): its server makes a graph, which our predictions from friends read.

**LPGNN** (Sajadmanesh & Gatica-Perez, CCS 2021): public edges, private features and labels.

Edges are known, so that friends' noisy features can be averaged until their noise is small:

- *KProp*: each user's row becomes the mean of her friends' rows, K times over. Her own is left out.
- *Label denoising*: noisy labels are averaged in the same way, and the largest entry is taken for the label.
- *Forward correction*: settings are chosen by how likely they make the noisy labels of validation users.

Two rounds of graph convolution and a linear classifier take the place of the authors' GNN. Rows are projected onto
random directions first, the fewer the more users there are: the cost stays linear, and distances what they are.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from graphldp.errors import DataError
from graphldp.learn.inference.blink import denoise
from graphldp.learn.nodes import predictions
from graphldp.learn.nodes.feature_view import FeatureView, LabelledUsers
from graphldp.learn.nodes.similarity import normalised
from graphldp.mechanisms.attributes.category_rr import chances, indicators
from graphldp.reports import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Whose = Literal["own", "another's", "random"]

_STEPS = (2, 4, 8)  # K
_LABEL_STEPS = (2, 8)
_STRENGTH = 10.0  # of logistic regression, C times the number of columns; chosen on splits of Cora that no table uses
_ENTRIES, _FEWEST = 8_000_000, 64  # of projected rows, and directions at least


def by_blink(reports: Reports, view: FeatureView, seed: int) -> dict[str, Floats]:
    """The prediction by friends in the graph that Blink's server makes (Zhu, Tan & Xiao, CCS 2023), its hybrid kind."""
    found, users = denoise(reports, "hybrid"), view.users
    graph = found.reports
    edges = sparse.csr_array((found.weight, graph.indices, graph.indptr), shape=(graph.num_users, graph.num_users))
    rows = None if view.rows is None else predictions.compressed(view.rows, seed)
    return predictions.by_links(rows, edges, view.log_proba, users.codes, users.train, users.validation)


def by_lpgnn(reports: Reports, users: LabelledUsers, seed: int, whose: Whose = "own", *, noisy_labels: bool) -> Floats:
    """The prediction by LPGNN, from public friendships and private features; log probabilities.

    Do the features add anything? Where another user's features or random numbers do as well, the friendships do all the
    work: rows tell users apart, and so each user's friends. ``noisy_labels`` says whether it learns from classes that
    users told with noise.
    """
    rows, rng = reports.columns.features, np.random.default_rng(seed)
    if rows is None:
        raise DataError("LPGNN needs private features: gl.Joint(edges=gl.NonPrivFull(), features=gl.MultiBit(…)).")
    if whose == "another's":
        rows = rows[rng.permutation(len(rows))]
    elif whose == "random":
        rows = rng.standard_normal(rows.shape, np.float32)
    shape, classes = (reports.num_users, reports.num_users), len(users.classes)
    graph = sparse.csr_array((np.ones(reports.num_entries), reports.indices, reports.indptr), shape=shape)
    told, law = np.eye(classes)[users.codes], np.eye(classes)
    if noisy_labels:
        own, other = chances(np.exp(-np.max(reports.budget.labels)), classes)
        told, law = indicators(reports), np.full((classes, classes), other) + (own - other) * np.eye(classes)
    return lpgnn(graph, rows, told, law, users.train, users.validation, seed)


def kprop(graph: sparse.csr_array[Any], rows: Floats, steps: int) -> Floats:
    """The mean of friends' rows, of friends' friends' and so on; zeros for a user without any."""
    count = np.asarray(graph.sum(axis=1)).ravel()
    mean = sparse.csr_array(sparse.diags_array(1 / np.maximum(count, 1)) @ graph)
    for _ in range(steps):
        rows = mean @ rows
    return np.asarray(rows)


def projected(rows: Any, seed: int) -> Floats:
    """Rows on random directions; as they are where users or columns are few."""
    directions = max(_ENTRIES // len(rows), _FEWEST)
    if rows.shape[1] <= directions:
        return np.asarray(rows, np.float64)
    rng = np.random.default_rng(seed)
    onto = rng.standard_normal((rows.shape[1], directions), np.float32) / np.float32(np.sqrt(directions))
    return np.asarray(rows @ onto, np.float64)


def lpgnn(
    graph: sparse.csr_array[Any], rows: Any, told: Floats, law: Floats, train: Ints, validation: Ints, seed: int = 0
) -> Floats:
    """Log probabilities of everybody's class, [users, classes].

    Args:
        graph: the friendships, public.
        rows: unbiased noisy features, [users, columns].
        told: for each user and class how far her noisy label speaks for it, without bias; those of the two sets are
            looked at. Without noise a 1 in the place of her class.
        law: Pr(told label | class), [classes, classes]; the identity without noise.
        train: the users to fit on.
        validation: the users to choose by.
        seed: of the directions.
    """
    rows = projected(rows, seed)
    noisy = bool((law != np.eye(len(law))).any())
    known = np.zeros_like(told)
    known[train] = told[train]
    guesses = [
        kprop(graph, known, steps)[train] if noisy else told[train] for steps in (_LABEL_STEPS if noisy else (0,))
    ]
    found: list[tuple[float, Floats]] = []
    even = normalised(graph, loop=1.0)
    for steps in _STEPS:
        spread = even @ (even @ kprop(graph, rows, steps))
        spread = (spread - spread.mean(axis=0)) / max(float(spread.std()), 1e-12)
        for guess in guesses:
            said = _fitted(spread, train, guess.argmax(axis=1), len(law))
            found.append((_loss(said[validation], told[validation], law), said))
    return np.log(min(found, key=lambda each: each[0])[1])


def _fitted(rows: Floats, train: Ints, labels: Ints, classes: int) -> Floats:
    """Probabilities of everybody's class by logistic regression; a class that nobody is guessed to be of is rare."""
    kinds = np.unique(labels)
    found = np.full((len(rows), classes), 1e-6)
    if len(kinds) > 1:
        model = LogisticRegression(C=_STRENGTH / rows.shape[1], max_iter=200, tol=1e-3).fit(rows[train], labels)
        found[:, kinds] += np.exp(model.predict_log_proba(rows))
    else:
        found[:, kinds] += 1.0
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _loss(said: Floats, told: Floats, law: Floats) -> float:
    """The loss on noisy labels with forward correction, so that settings are not chosen by their noise."""
    labels = told.argmax(axis=1)
    return float(-np.log((said @ law)[np.arange(len(said)), labels]).mean())
