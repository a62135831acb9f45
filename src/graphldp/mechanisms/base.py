"""The base of mechanisms: one frozen value, one method to write, and the rest done once for all of them.

A mechanism of your own is a class with a ``draw`` (or, where every user acts alone, only ``rates``)::

    class Halved(gl.RowMechanism):
        def rates(self, noisy_degree, n, flip):
            return (1 - flip) / 2, flip / 2

    reports = Halved(epsilon=1.0).randomize(graphs, rng=7)
    gl.check_mechanism(Halved(epsilon=1.0))
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import BudgetError, ParameterError, bad_parameter
from graphldp.files.own import reference_of
from graphldp.graphs import GraphSet
from graphldp.machines.memory import fresh
from graphldp.machines.threads import Run, even_runs, in_threads
from graphldp.mechanisms.degrees.noise import Noise, noisy_degrees
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Rng, key_from
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.neighbour_lists.bit_lists import BitLists
from graphldp.neighbour_lists.pointers import gather_ranges
from graphldp.privacy import Budget, check_epsilon, once
from graphldp.reports import HubAnswers, NoisyColumns, Origin, PairAnswers, Reports

Rates = tuple[Any, Any]
NAMES: dict[type[Any], str] = {}
"""The names of mechanisms by their classes; :mod:`graphldp.mechanisms.named`, which knows all of them, fills it in."""


def name_of(kind: type[Any]) -> str:
    """The name of a mechanism in its reports."""
    return NAMES.get(kind) or reference_of(kind)


@dataclass(frozen=True)
class DrawnLists:
    """What a draw returns: parts of :class:`graphldp.Reports`, by their names there.

    Args:
        indptr: where each user's noisy list begins and ends.
        indices: the lists.
        noisy_degree: d*, where there is one.
        missing: who sends nothing at all.
        budget: what each user spent on what, where that depends on the draw.
        answers: what hubs answer to a second question, where a mechanism has one.
        pair_answers: what users answer about pairs of their friends, likewise.
        columns: what users tell of their private columns.
        friend_counts: the noisy count of her friends in each public group.
        groups: the groups that friends were counted by, where they were made by the draw.
        as_bits: the lists as bits, in place of ``indices``, which are empty then.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    noisy_degree: NDArray[np.float64] | None = None
    missing: NDArray[np.bool_] | None = None
    budget: Budget | None = None
    answers: HubAnswers | None = None
    pair_answers: PairAnswers | None = None
    columns: NoisyColumns = field(default_factory=NoisyColumns)
    friend_counts: NDArray[np.float64] | None = None
    groups: Attributes | None = None
    as_bits: BitLists | None = None


def no_lists(graphs: GraphSet) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Empty lists of all users."""
    return np.zeros(graphs.num_users + 1, np.int64), np.zeros(0, np.int32)


def public_lists(rows: UserRows, epsilon: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The lists of public users, whose ε is ``inf``, and empty ones of all others."""
    lengths = np.where(np.isinf(epsilon), rows.degrees, 0)
    entries, _ = gather_ranges(rows.indptr, np.flatnonzero(lengths))
    return np.concatenate(([0], np.cumsum(lengths))), rows.indices[entries]


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(ABC):
    """A local randomizer, over a whole set of graphs at once.

    Args:
        epsilon: the privacy budget of every user, or one per user; ``inf`` is a public user, whose row stays exact.
    """

    epsilon: float | NDArray[np.float64]

    @property
    def degree_noise(self) -> Noise | None:
        """The law of the noise on d*, a parameter ``noise`` or a constant of the class; None where there is no d*."""
        law: Noise | None = getattr(self, "noise", None)
        return law

    def __post_init__(self) -> None:
        epsilon = check_epsilon(self.epsilon, type(self).__name__)
        if hasattr(self, "noise") and self.noise not in get_args(Noise):
            raise bad_parameter("noise", type(self).__name__, f"one of {', '.join(get_args(Noise))}", self.noise)
        if isinstance(epsilon, np.ndarray):  # a copy: what was promised must not change with the caller's array
            epsilon = epsilon.copy()
            epsilon.flags.writeable = False
        object.__setattr__(self, "epsilon", epsilon)

    def __repr__(self) -> str:
        parts = []
        for each in fields(self):
            value = getattr(self, each.name)
            if each.init and value is not None:
                shown = f"<{value.size} values>" if isinstance(value, np.ndarray) else repr(value)
                parts.append(f"{each.name}={shown}")
        return f"{type(self).__name__}({', '.join(parts)})"

    @property
    def origin(self) -> Origin:
        """The origin that its reports state: how they were drawn."""
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        plain = {name: _plain(value) for name, value in given.items()}
        return Origin(name_of(type(self)), {name: value for name, value in plain.items() if value is not None})

    def budget(self, n_max: int | None = None) -> Budget:
        """The budget: how ε is split. All of it goes to the edges unless a mechanism says otherwise.

        Args:
            n_max: users in the largest graph, where the split depends on it.
        """
        return Budget(0.0, self.epsilon)

    def at(self, epsilon: float | NDArray[np.float64]) -> Self:
        """The same mechanism with another ε."""
        return replace(self, epsilon=epsilon)

    def randomize(self, graphs: GraphSet, *, rng: Rng = None) -> Reports:
        """Draw every user's report.

        Args:
            graphs: the raw graphs.
            rng: an int, a ``numpy.random.Generator`` or a ``SeedSequence``; fresh entropy by default. A user's draws
                depend on (seed, graph id, user) alone.

        Returns:
            The reports, with what they promise in ``reports.guarantee``.
        """
        if not isinstance(graphs, GraphSet):
            raise bad_parameter("graphs", f"{type(self).__name__}.randomize", "a GraphSet", type(graphs).__name__)
        epsilon = check_epsilon(self.epsilon, type(self).__name__, graphs.num_users)
        budget = self.budget(graphs.n_max)
        self.check_spent(budget, epsilon)
        shown = None if graphs.attributes is None else graphs.attributes.public()
        budget = budget.per_user(graphs.num_users)
        drawn = self.draw(graphs, budget, key_from(rng, f"{type(self).__name__}.randomize"))
        if drawn.budget is not None:
            budget = drawn.budget.per_user(graphs.num_users)
            self.check_spent(budget, epsilon)
        sent = {name: value for name, value in vars(drawn).items() if name not in ("budget", "groups")}
        return Reports(
            **sent,
            graph_ptr=graphs.graph_ptr,
            labels=graphs.labels,
            directed=graphs.directed,
            name=graphs.name,
            graph_ids=graphs.graph_ids,
            attributes=shown if drawn.groups is None else drawn.groups.beside(shown),
            budget=budget,
            origin=self.origin,
            noise=self.degree_noise,
            trusted=type(self).__module__.startswith("graphldp.mechanisms."),  # ours are proven, yours are checked
        )

    def check_spent(self, budget: Budget, epsilon: Any) -> None:
        """Refuse to spend more than ε."""
        if not np.all(budget.total <= np.nextafter(epsilon, np.inf)):
            raise BudgetError(f"{self!r} would spend more than its epsilon.")

    @abstractmethod
    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Draw all lists: the one method that a mechanism of your own must have.

        Args:
            graphs: the raw graphs.
            budget: ε₁ and ε₂, one of each per user; ``inf`` marks a public user.
            key: two words of the seed, for :mod:`graphldp.mechanisms.drawing.streams`, or to seed a generator of your
                own.
        """


@dataclass(frozen=True, eq=False, repr=False)
class RowMechanism(Mechanism):
    """A mechanism in which every user acts alone and every bit of her list is drawn on its own, given her d*."""

    def draw(self, graphs: GraphSet, budget: Budget, key: Key) -> DrawnLists:
        """Draw every user's row."""
        return self.draw_rows(UserRows.of(graphs), budget, key)

    def draw_rows(self, rows: UserRows, budget: Budget, key: Key) -> DrawnLists:
        """Draw some users' rows: d* where there is one, then the lists."""
        law = self.degree_noise
        noisy = None if law is None else noisy_degrees(rows, np.asarray(budget.degree), law, key)
        return self.draw_lists(rows, noisy, budget, key)

    def draw_lists(self, rows: UserRows, noisy: NDArray[np.float64] | None, budget: Budget, key: Key) -> DrawnLists:
        """Draw the lists of users whose d* is drawn: two probabilities per user, then her bits."""
        edges, degree = np.asarray(budget.edges), np.asarray(budget.degree)
        odds = np.exp(-once(edges))  # of a flip: (1−p)/p
        flip, decay = (np.broadcast_to(each, edges.shape) for each in (odds / (1 + odds), np.exp(-once(degree))))
        public = np.isinf(once(edges))
        keep, fake = fresh(2, len(rows))

        def compute(run: Run) -> None:
            some = slice(*run)
            taken = None if noisy is None else self.estimate(noisy[some], rows.n[some], once(decay[some]))
            keep[some], fake[some] = self.rates(taken, rows.n[some], once(flip[some]))
            if public.any():
                exact = np.broadcast_to(public, edges.shape)[some]
                keep[some][exact], fake[some][exact] = 1.0, 0.0
            if not all(r.min() >= 0 and r.max() <= 1 for r in (keep[some], fake[some])):
                raise ParameterError(f"The rates of {type(self).__name__} must be probabilities.")

        in_threads(compute, even_runs(len(rows)))
        indptr, indices, bits = backend.sample_lists(rows, keep, fake, key)
        return DrawnLists(indptr, indices, noisy_degree=noisy, as_bits=bits)

    def estimate(self, noisy_degree: Any, n: Any, decay: Any) -> Any:
        """What d* is taken for when the rates are computed: d* itself, unless a mechanism says otherwise.

        Args:
            noisy_degree: d* of each user.
            n: users in each user's graph.
            decay: e^(−ε₁) of each user, or of all where it is one number; 0 for a public one.
        """
        return noisy_degree

    @abstractmethod
    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Rates:
        """The law of one bit: Pr(reported | neighbour) and Pr(reported | stranger).

        Plain arithmetic on whatever numbers it is given, so that the same code is run on floats by the sampler and on
        exact rationals by the tests that enumerate the law.

        Args:
            noisy_degree: d* of each user, or what :meth:`estimate` takes it for; None where the mechanism has none.
            n: users in each user's graph.
            flip: 1 − p = 1/(e^ε₂ + 1) of each user, or of all where it is one number; 0 for a public one, whose row
                stays exact whatever is returned.
        """


def _plain(value: Any) -> Any:
    """A parameter as JSON can hold it; None for one per user, which the reports hold, and for what has no such form."""
    if isinstance(value, Budget):
        value = (value.degree, value.edges)
    if isinstance(value, tuple | list):
        parts = [_plain(each) for each in value]
        return None if any(part is None for part in parts) else parts
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, bool | int | float | str) else None
