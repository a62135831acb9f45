"""What liars of many graphs do together where a classifier compares graphs: as much harm as goes unnoticed.

:meth:`graphldp.RobustProfileClassifier.checked` compares graphs that are to be labelled with held-out ones. Each of the
numbers that it compares is a mean over graphs. So liars who know it solve a linear program: in each graph one of some
lies is told, or none, so that most labels are wrong, and no number rises by more than chance explains:

    maximise Σ wrong(g, lie)·x(g, lie)     where Σ_lie x(g, lie) = 1, and Σ part(g, lie)·x(g, lie) ≤ limit

Nearly all x are 0 or 1; the few others are rounded. The limits are not quite those of the classifier, which reads the
spread off the new graphs, too. So they are widened until the classifier notices. Of the plans on the way, and of lies
that do not hide, the one counts that leaves fewest labels right. Some lies turn no label: they make room for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from graphldp.learn.tables.robust.agreement import SIZE, Statements, Trust, pairs_of
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST = 8.0  # times the room that chance leaves
_HALVINGS = 8


def unnoticed(model: RobustProfileClassifier, told: Sequence[Statements], truth: Codes) -> Codes:
    """Which lie is told of each graph, so that the fewest labels are right once the classifier has compared graphs.

    Args:
        model: what the liars aim at.
        told: what it says of the graphs as they are, and with each lie.
        truth: the true class of each graph, as a place among the model's classes.

    Returns:
        [graphs]: a place in ``told``; 0 where nobody lies.
    """
    return min(_plans(model, told, truth), key=lambda plan: labelled_right(model, told, truth, plan))


def labelled_right(model: RobustProfileClassifier, told: Sequence[Statements], truth: Codes, plan: Codes) -> int:
    """How many labels are right where a lie is told of each graph, once the classifier has compared graphs."""
    said = _said(told, plan)
    judges = np.stack([each.argmax(axis=1) for each in (said.size, said.many, said.heard)])
    return int((judges[model.believed(said), np.arange(len(truth))] == truth).sum())


def _said(told: Sequence[Statements], plan: Codes) -> Statements:
    """What is said of the graphs if these lies are told."""
    return Statements(*(np.stack(layers)[plan, np.arange(len(plan))] for layers in zip(*told, strict=True)))


def _plans(model: RobustProfileClassifier, told: Sequence[Statements], truth: Codes) -> Iterator[Codes]:
    trust = get_args(Trust).index(model.learned_trust_)
    wrong, many = (
        np.stack([getattr(each, judge).argmax(axis=1) != truth for each in told], axis=1)
        for judge in (("size", "many", "heard")[trust], "many")
    )
    yield wrong.argmax(axis=1)  # nobody hides
    if trust == SIZE:  # nor has to: no lie changes a label
        return
    yield (2 * many + wrong).argmax(axis=1)  # … and those are misled who are heard in an alarm
    if model.agreed_ is None:
        return
    parts, limits = [], []
    for place, before in enumerate(chain(*model.agreed_)):
        said = [list(chain(*pairs_of(each)))[place] for each in told]
        apart = np.stack([((first - second) ** 2).sum(axis=1) for first, second, _ in said], axis=1)
        overturned = np.stack([each.astype(np.float64) for *_, each in said], axis=1)
        parts += [apart, overturned]
        limits += list(zip((before.distance, before.overturned), before.room(len(truth)), strict=True))
    usual, room = np.array(limits, np.float64).T
    low, high = 0.0, _MOST
    for _ in range(_HALVINGS):
        share = (low + high) / 2
        found = _solved(wrong, np.stack(parts), len(truth) * (usual + share * room))
        if found is None or (model.believed(_said(told, found)) == trust).all():
            low = share
        else:
            high = share
        if found is not None:
            yield found


def _solved(wrong: NDArray[np.bool_], parts: Floats, limits: Floats) -> Codes | None:
    """The lie of each graph, rounded; None where not even honest graphs keep within the limits.

    Args:
        wrong: whether a lie makes a label wrong, [graphs, lies].
        parts: what it adds to each number, [numbers, graphs, lies].
        limits: the most that each number may be; one that is infinite limits nothing.
    """
    graphs, lies = wrong.shape
    one = csr_array((np.ones(wrong.size), (np.repeat(np.arange(graphs), lies), np.arange(wrong.size))))
    found = milp(
        -wrong.ravel().astype(np.float64),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(one, 1, 1), LinearConstraint(parts.reshape(-1, wrong.size), -np.inf, limits)],
    )
    return None if found.x is None else np.asarray(found.x.reshape(graphs, lies).argmax(axis=1))
