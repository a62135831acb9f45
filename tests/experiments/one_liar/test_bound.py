"""The bound on what any classifier has against one liar: by every classifier of a small world."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from numpy.typing import NDArray

from graphldp.errors import ParameterError
from graphldp.experiments.one_liar.bound import LeftOut, ViewTruth, as_it_came_out, right_and_safe

USERS, LEVELS = 3, 3
GRAPHS = list(combinations_with_replacement(range(LEVELS), USERS))  # three users at three levels, whoever is who
VIEWS = list(combinations_with_replacement(range(LEVELS), USERS - 1))
Floats = NDArray[np.float64]


def without(graph: tuple[int, ...], place: int) -> int:
    """Which view is left without the place-th busiest user."""
    ordered = sorted(graph, reverse=True)
    return VIEWS.index(tuple(sorted(ordered[:place] + ordered[place + 1 :])))


@cache
def classifiers() -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """All ways to label all graphs, and which labels withstand one liar, who may be anybody and say anything."""
    labels = (np.arange(1 << len(GRAPHS))[:, None] >> np.arange(len(GRAPHS))) & 1
    safe = np.empty(labels.shape, np.bool_)
    for at, graph in enumerate(GRAPHS):
        rests = [graph[:who] + graph[who + 1 :] for who in range(USERS)]
        near = sorted({GRAPHS.index(tuple(sorted((*rest, claim)))) for rest in rests for claim in range(LEVELS)})
        safe[:, at] = (labels[:, near] == labels[:, [at]]).all(axis=1)
    return labels, safe


def most(law: Floats, lost: float) -> float:
    """The most that is right and safe, of all classifiers that lose no more than this; ``law`` is [graphs, classes]."""
    labels, safe = classifiers()
    right = np.where(labels == 1, law[:, 1], law[:, 0])
    allowed = right.sum(axis=1) >= law.max(axis=1).sum() - lost - 1e-12
    return float((right * safe).sum(axis=1)[allowed].max())


def known(law: Floats, places: tuple[int, ...]) -> LeftOut:
    """What is known of the views, exactly."""
    best = law.argmax(axis=1)
    joint = np.zeros((len(places), len(VIEWS), 2))
    right = np.zeros((len(places), len(VIEWS)))
    for i, place in enumerate(places):
        for at, graph in enumerate(GRAPHS):
            joint[i, without(graph, place)] += law[at] / len(places)
            right[i, without(graph, place)] += law[at, best[at]] / len(places)
    each = joint.sum(axis=2)
    weight, some = each.sum(axis=0), np.maximum(each, 1e-300)
    return LeftOut(weight, each / np.maximum(weight, 1e-300), joint / some[:, :, None], right / some)


@pytest.mark.parametrize("places", [(0,), (0, 1), (0, 1, 2), (2,)])
def test_no_classifier_has_more(places: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    near = 0
    for _ in range(25):
        law = rng.dirichlet(np.full(2 * len(GRAPHS), 0.3)).reshape(-1, 2)
        for lost in (0.0, 0.02, 0.1, 1.0):
            bound, attained = right_and_safe(known(law, places), lost).share, most(law, lost)
            assert attained <= bound + 1e-9
            near += bound - attained < 0.02
    assert near > 10 or len(places) == 1  # it is not far off either, if anybody may lie


def test_more_users_left_out_and_less_to_lose_bound_more() -> None:
    law = np.random.default_rng(1).dirichlet(np.full(2 * len(GRAPHS), 0.3)).reshape(-1, 2)
    one, all_three = (
        [right_and_safe(known(law, each), lost).share for lost in (0.0, 0.05, 0.2, 1.0)] for each in ((0,), (0, 1, 2))
    )
    assert one == sorted(one)
    assert all_three == sorted(all_three)
    assert all_three[0] < one[0]


def test_the_busiest_alone_by_hand() -> None:
    """If all may be lost, the others give the best label; if nothing, only where they say what all say."""
    law = np.zeros((len(GRAPHS), 2))
    law[GRAPHS.index((0, 0, 1))] = 0.3, 0.0  # the busiest makes the difference …
    law[GRAPHS.index((0, 0, 2))] = 0.0, 0.2
    law[GRAPHS.index((1, 1, 1))] = 0.5, 0.0  # … and here she does not
    assert right_and_safe(known(law, (0,)), 1.0).share == pytest.approx(0.8)
    assert right_and_safe(known(law, (0,)), 0.2).share == pytest.approx(0.8)
    assert right_and_safe(known(law, (0,)), 0.1).share == pytest.approx(0.65)  # half of a coin: it may label at random
    assert right_and_safe(known(law, (0,)), 0.0).share == pytest.approx(0.5)


def test_what_came_out_is_what_was_known_where_chances_are_exact() -> None:
    """Each graph, class and missing user once, as often as the law says; and less where labels are chosen worse."""
    law = np.random.default_rng(2).dirichlet(np.full(2 * len(GRAPHS), 0.3)).reshape(-1, 2)
    places = (0, 1, 2)
    exact = known(law, places)
    all_of = [(i, at, c) for i in range(len(places)) for at in range(len(GRAPHS)) for c in (0, 1)]
    view = np.array([without(GRAPHS[at], places[i]) for i, at, _ in all_of])
    weight = np.array([law[at, c] / len(places) for _, at, c in all_of])
    who, graph, truth = np.array(all_of).T
    outcome = ViewTruth(who, truth, law.argmax(axis=1)[graph] == truth)
    each = LeftOut(weight, exact.who[:, view], exact.chance[:, view], exact.best[:, view])
    unsure = LeftOut(weight, each.who, (each.chance + 0.5) / 2, each.best)
    for lost in (0.0, 0.02, 0.1):
        share = right_and_safe(exact, lost).share
        assert right_and_safe(each, lost).share == pytest.approx(share)
        assert as_it_came_out(each, lost, outcome) == pytest.approx(share)
        assert as_it_came_out(unsure, lost, outcome) > right_and_safe(unsure, lost).share


@pytest.mark.parametrize("lost", [-0.1, np.inf, np.nan])
def test_a_loss_that_is_none(lost: float) -> None:
    with pytest.raises(ParameterError, match="'lost' parameter of right_and_safe"):
        right_and_safe(LeftOut.alike(np.ones((1, 1)), np.ones((1, 1, 2)) / 2, np.ones((1, 1))), lost)
