"""The contract over every mechanism, and mechanisms that break each of its clauses."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.errors import BudgetError, DataError, ParameterError
from graphldp.mechanisms import DrawnLists
from graphldp.mechanisms.drawing.streams import Key
from graphldp.reports import NoisyColumns


class Halved(gl.RowMechanism):
    """The example of the documentation."""

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Any:
        return (1 - flip) / 2, flip / 2


class Shuffled(gl.Mechanism):
    """A mechanism with a draw of its own, by NumPy's generator: reports a random half of everybody."""

    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        rows, columns = [], []
        for graph, (start, n) in enumerate(zip(graphs.graph_ptr[:-1], graphs.sizes, strict=True)):
            rng = np.random.default_rng([*key, graphs.graph_ids[graph]])
            dense = (rng.random((n, n)) < 0.5) & ~np.eye(n, dtype=bool)
            for user in np.flatnonzero(np.isinf(np.asarray(budget.edges)[start : start + n])):
                dense[user] = False
                dense[user, graphs.indices[graphs.indptr[start + user] : graphs.indptr[start + user + 1]]] = True
            one, two = np.nonzero(dense)
            rows.append(one + start)
            columns.append(two)
        lengths = np.bincount(np.concatenate(rows), minlength=graphs.num_users)
        return DrawnLists(np.concatenate(([0], np.cumsum(lengths))), np.concatenate(columns).astype(np.int32))


MECHANISMS = [
    gl.DPRR(1.0),
    gl.DPRR(1.0, noise="discrete"),
    gl.DPRR(1.0, allocation="fixed", alpha=0.5),
    gl.DPRR(1.0, allocation=gl.Budget(0.25, 0.75)),
    gl.DPRR(1.0, n_max=1000),
    gl.DPRR(1.0, allocation="utility"),
    gl.DPRR(0.1, allocation="utility", mean_degree=2.0),
    gl.DPRR(1.0, estimator="unbiased"),
    gl.DPRR(1.0, estimator="unbiased", noise="discrete"),
    gl.DPRR(1.0, estimator="bayes"),
    gl.DPRR(1.0, estimator="bayes", noise="discrete"),
    gl.DPRR(20.0),
    gl.RR(0.1),
    gl.RR(1.0),
    gl.ARR(1.0, sampling=0.3),
    gl.ARR(1.0, sampling=1.0),
    gl.ARR(1.0, sampling=0.3, sampled="zeros"),
    gl.Blink(1.0),
    gl.Blink(4.0, delta=0.5, noise="discrete"),
    gl.LocalLap(1.0),
    gl.NoisyDegrees(1.0),
    gl.NoisyDegrees(1.0, noise="discrete"),
    gl.FriendCounts(1.0),
    gl.MultiBit(1.0),
    gl.MultiBit(4.0, sampled=2, low=(0, 10), high=(100, 200)),
    gl.CategoryRR(1.0, categories=4),
    gl.Joint(edges=gl.HubLists(1.0, times=1.0), features=gl.MultiBit(1.0)),
    gl.Joint(edges=gl.FriendCounts(1.0), features=(gl.CategoryRR(0.5, categories=2), gl.MultiBit(0.5))),
    gl.ClosedPairs(1.0),
    gl.ClosedPairs(4.0, degree=0.2, answer=0.5, away=0.2),
    gl.HubLists(2.0),
    gl.HubLists(2.0, times=1.0, least=0.0),
    gl.HubLists(2.0, times=1.0, noise="laplace"),
    gl.NonPrivPart(1.0),
    gl.NonPrivFull(),
    Halved(1.0),
    Shuffled(1.0),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_contract_is_kept(mechanism: gl.Mechanism) -> None:
    gl.check_mechanism(mechanism)


class Writes(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        drawn = super().draw(graphs, budget, key)
        some(graphs.indptr.base)[:] = drawn.indptr
        return drawn


class Unsorted(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        drawn = super().draw(graphs, budget, key)
        return replace(drawn, indices=drawn.indices[::-1])


class NamesStrangersElsewhere(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        drawn = super().draw(graphs, budget, key)
        return replace(drawn, indices=drawn.indices + 1)


class Spends(Halved):
    def budget(self, n_max: int | None = None) -> gl.Budget:
        return gl.Budget(0.0, super().budget(n_max).edges * 1.1)


class SpendsOnTheWay(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        spent = gl.Budget(0.0, np.asarray(budget.edges) * 1.1)
        return replace(super().draw(graphs, budget, key), budget=spent)


class FlipsPublicUsers(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        return super().draw(graphs, gl.Budget(0.0, np.ones(graphs.num_users)), key)


class NoisesPublicDegrees(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        return replace(super().draw(graphs, budget, key), noisy_degree=graphs.degrees + np.float64(0.5))


class NoisesPublicCounts(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        counts = np.full((graphs.num_users, graphs.num_groups), 0.5)
        return replace(super().draw(graphs, budget, key), friend_counts=counts)


class NoisesPublicColumns(Shuffled):
    def budget(self, n_max: int | None = None) -> gl.Budget:
        spent = np.asarray(self.epsilon)
        return gl.Budget(0.0, spent / 2, **{self.column: spent / 2})

    @property
    def column(self) -> str:
        return "features"

    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        return replace(super().draw(graphs, budget, key), columns=NoisyColumns(np.full((graphs.num_users, 2), 0.5)))


class NoisesPublicLabels(NoisesPublicColumns):
    @property
    def column(self) -> str:
        return "labels"

    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        told = 1 - some(graphs.node_labels)
        return replace(Shuffled.draw(self, graphs, budget, key), columns=NoisyColumns(labels=told, categories=2))


class ForgetsTheSeed(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        return super().draw(graphs, budget, np.random.default_rng().integers(0, 2**63, 2, np.uint64))


class CountsThreads(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        return super().draw(graphs, budget, key + np.uint64(os.environ.get("GRAPHLDP_THREADS", 0)))


class LooksAtItsCompany(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        return super().draw(graphs, budget, key + np.uint64(graphs.num_users))


class IgnoresTheSeed(Shuffled):
    def draw(self, graphs: gl.GraphSet, budget: gl.Budget, key: Key) -> DrawnLists:
        return super().draw(graphs, budget, np.zeros(2, np.uint64))


@dataclass(frozen=True, eq=False, repr=False)
class Renames(Shuffled):
    """Changes one field of the reports after the draw."""

    field: str = ""

    def randomize(self, graphs: gl.GraphSet, *, rng: Any = None) -> gl.Reports:
        reports = super().randomize(graphs, rng=rng)
        one_graph = np.array([0, graphs.num_users])
        value: Any = {"directed": not graphs.directed, "labels": None, "graph_ids": np.arange(6)[::-1]}
        columns = some(graphs.attributes)
        value["attributes"] = replace(columns, public_features=True, node_labels=None)
        if self.field == "graph_ptr":
            empty = np.zeros(graphs.num_users + 1, np.int64), np.zeros(0, np.int32)
            return replace(
                reports, indptr=empty[0], indices=empty[1], graph_ptr=one_graph, graph_ids=np.array([7]), labels=None
            )
        if self.field == "groups":
            return replace(reports, attributes=replace(some(reports.attributes), groups=None, num_groups=0))
        if self.field == "node_labels":
            told = replace(some(reports.attributes), node_labels=columns.node_labels, public_labels=True)
            return replace(reports, attributes=told)
        return replace(reports, **{self.field: value[self.field]})


BROKEN = [
    (Writes(1.0), AssertionError, "the input stays as it was"),
    (Unsorted(1.0), DataError, "sorted"),
    (NamesStrangersElsewhere(1.0), DataError, "of its own graph"),
    (Spends(1.0), BudgetError, "more than its epsilon"),
    (SpendsOnTheWay(1.0), BudgetError, "more than its epsilon"),
    (FlipsPublicUsers(1.0), AssertionError, "a public user's row is exact"),
    (NoisesPublicDegrees(1.0), AssertionError, "a public user's d\\* is her degree"),
    (NoisesPublicCounts(1.0), AssertionError, "a public user's counts are exact"),
    (NoisesPublicColumns(1.0), AssertionError, "a public user's features are exact"),
    (NoisesPublicLabels(1.0), AssertionError, "a public user's label is exact"),
    (ForgetsTheSeed(1.0), AssertionError, "the same seed gives the same bits"),
    (CountsThreads(1.0), AssertionError, "the number of threads leaves no trace"),
    (LooksAtItsCompany(1.0), AssertionError, "do not depend on its company"),
    (IgnoresTheSeed(1.0), AssertionError, "another seed gives other bits"),
    (Renames(1.0, "graph_ptr"), AssertionError, "every user has a row"),
    (Renames(1.0, "graph_ids"), AssertionError, "graphs keep their ids"),
    (Renames(1.0, "directed"), AssertionError, "directedness is kept"),
    (Renames(1.0, "labels"), AssertionError, "labels are kept"),
    (Renames(1.0, "groups"), AssertionError, "public groups are kept"),
    (Renames(1.0, "attributes"), AssertionError, "public features are kept, and private ones are not"),
    (Renames(1.0, "node_labels"), AssertionError, "private labels of users are not kept"),
]


@pytest.mark.parametrize(("mechanism", "error", "clause"), BROKEN, ids=[clause for _, _, clause in BROKEN])
def test_a_broken_clause_is_named(mechanism: gl.Mechanism, error: type[Exception], clause: str) -> None:
    with pytest.raises(error, match=clause):
        gl.check_mechanism(mechanism)


class Overflows(gl.RowMechanism):
    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Any:
        return 1 + flip, flip


def test_rates_must_be_probabilities() -> None:
    with pytest.raises(ParameterError, match="probabilities"):
        gl.check_mechanism(Overflows(1.0))
