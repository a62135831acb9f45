"""Poisoning attacks: filters from reports to reports.

The paper's attack (Section 6.1) rewrites a malicious user's noisy list bit by bit,

    Poison(ω₁, ω₂):  Pr(ã*_ij = 1) = ω₁ if ã_ij = 1, else ω₂,

for ⌊βn⌋ users of each graph. That is the row sampler of the mechanisms with keep = ω₁ and fake = ω₂, so it costs what
the fake lists are long and never an n × n array. Stronger attacks are in :mod:`graphldp.threats.attacks.beyond`.

A public user's list is there for everybody to check, so malicious users are drawn among private ones who have
reported; where fewer than ⌊βn⌋ are private, all of these are malicious.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from graphldp.errors import DataError, bad_parameter
from graphldp.mechanisms.base import Mechanism
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Rng, Stream, key_from, to_uniform
from graphldp.reports import Reports
from graphldp.threats.lists import ForgedLists

_TAG = 0x7472A17  # keeps an attack's draws apart from the noise drawn with the same seed


@dataclass(frozen=True)
class Script:
    """The script of malicious users: the lists they start from, and how they change them.

    Args:
        lists: one list per user; only those of malicious users are read.
        keep: the probability that an entry of such a list is reported, for all users or one per user.
        fake: the probability that somebody else is reported.
    """

    lists: ForgedLists
    keep: Any
    fake: Any


@dataclass(frozen=True)
class Attack(ABC):
    """An attack by some users of each graph: a fraction β of them, or a fixed number.

    Args:
        fraction: β, from 0 to 1: ⌊βn⌋ users of each graph, drawn uniformly by the seed unless an attack says otherwise.
        liars: instead of a fraction, how many users of each graph.
    """

    fraction: float | None = field(default=None, kw_only=True)
    liars: int | None = field(default=None, kw_only=True)

    derived_for: ClassVar[tuple[type[Mechanism], ...]] = ()
    """The mechanisms whose reports it can forge; empty for one that rewrites lists, whichever mechanism drew them."""

    def __post_init__(self) -> None:
        owner = type(self).__name__
        if self.liars is None:
            check_share(self.fraction, "fraction", owner)
        elif self.fraction is not None:
            raise bad_parameter("liars", owner, "left out where there is a fraction", self.liars)
        elif isinstance(self.liars, bool) or not isinstance(self.liars, int | np.integer) or self.liars < 0:
            raise bad_parameter("liars", owner, "a whole number ≥ 0", self.liars)

    def malicious(self, reports: Reports, *, rng: Rng = None, graphs: ArrayLike | None = None) -> NDArray[np.bool_]:
        """True for each malicious user: those whom :meth:`apply` turns with the same seed and graphs."""
        return self._crew(reports, self._key(rng), graphs) >= 0

    def apply(self, reports: Reports, *, rng: Rng = None, graphs: ArrayLike | None = None) -> Reports:
        """Put malicious users' reports in place of their honest ones.

        Args:
            reports: what honest users would have sent.
            rng: an int, a ``Generator`` or a ``SeedSequence``. A user's draws depend on (seed, graph id, user) alone.
            graphs: positions of the attacked graphs, such as the training graphs (the paper's set-up); all by default.

        Example::

            train, val, test = gl.split(reports.labels, seed=0)
            poisoned = Poison.random(fraction=0.3).apply(reports, rng=7, graphs=train)
        """
        key = self._key(rng)
        return self.rewritten(reports, self._crew(reports, key, graphs), key)

    @abstractmethod
    def rewritten(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Reports:
        """The reports with the malicious users' in place of their honest ones.

        Args:
            reports: the honest reports.
            crew: each malicious user's place among those of her graph; −1 for an honest user.
            key: the seed of the attack.
        """

    def priority(self, reports: Reports, key: Key) -> NDArray[Any]:
        """A number for each user: those with the smallest ones lie. Drawn at random unless an attack chooses."""
        return np.asarray(backend.first_words(UserRows.of(reports), Stream.PUBLIC, key)[:, 0])

    def _key(self, rng: Rng) -> Key:
        words = key_from(rng, f"{type(self).__name__}.apply")
        return np.asarray(np.random.SeedSequence([_TAG, *map(int, words)]).generate_state(2, np.uint64))

    def _crew(self, reports: Reports, key: Key, graphs: ArrayLike | None) -> NDArray[np.int64]:
        able = ~reports.public if reports.missing is None else ~reports.public & ~reports.missing
        attacked = np.zeros(reports.num_graphs, np.bool_)
        attacked[slice(None) if graphs is None else positions(graphs, reports, type(self).__name__)] = True
        quota = self._quota(reports.sizes[attacked])
        each = np.zeros(reports.num_graphs)
        each[attacked] = quota
        order = np.lexsort((self.priority(reports, key), ~able, reports.graph_of_user))
        crew = np.empty(reports.num_users, np.int64)
        crew[order] = np.where(reports.local_users < np.repeat(each, reports.sizes), reports.local_users, -1)
        return np.where(able, crew, -1)

    def _quota(self, sizes: NDArray[np.int64]) -> Any:
        if self.fraction is not None:
            return np.floor(self.fraction * sizes + 1e-9)  # 0.29 · 100 is 28.999… in floating point
        if len(sizes) and sizes.min() < (self.liars or 0):
            most = f"at most {sizes.min()}, the users of the smallest attacked graph"
            raise bad_parameter("liars", type(self).__name__, most, self.liars)
        return self.liars


@dataclass(frozen=True)
class ListAttack(Attack):
    """An attack that rewrites lists bit by bit.

    Args:
        fraction: β.
        liars: instead of β, how many users of each graph.
        forge_degree: where d* is released, whether malicious users forge it to fit the fake list. With the honest d*
            left in place a fake list gives itself away.
    """

    forge_degree: bool = field(default=True, kw_only=True)

    @abstractmethod
    def script(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Script:
        """The script of the malicious users; see :meth:`Attack.rewritten` for the arguments."""

    def rewritten(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Reports:
        """The reports with the scripted lists, and with a d* that fits them."""
        if reports.pair_answers is not None:
            raise DataError(f"{type(self).__name__} rewrites lists, and these were answered about already.")
        silent = reports.epsilon2 == 0 if reports.missing is None else (reports.epsilon2 == 0) & ~reports.missing
        other = reports.noisy_degree, reports.friend_counts, reports.columns.features, reports.columns.labels
        if silent.any() and any(each is not None for each in other):
            raise DataError(f"{type(self).__name__} rewrites lists, and some of these users send none by design.")
        script, turned = self.script(reports, crew, key), crew >= 0
        rows = replace(UserRows.of(reports), indptr=script.lists.indptr, indices=script.lists.indices)
        indptr, indices, bits = backend.sample_lists(
            rows, np.where(turned, script.keep, 1.0), np.where(turned, script.fake, 0.0), key
        )
        degree = reports.noisy_degree
        if degree is not None and self.forge_degree:
            degree = np.where(turned, forged_degrees(reports, np.diff(indptr), key), degree)
        return replace(reports, indptr=indptr, indices=indices, as_bits=bits, noisy_degree=degree, trusted=True)


@dataclass(frozen=True)
class Poison(ListAttack):
    """The paper's attack. ``Poison(1, 0, fraction=0.3)`` changes nothing.

    Args:
        w1: ω₁, the probability that an entry of the honest report stays.
        w2: ω₂, the probability that somebody else is added.
        fraction: β.
        liars: instead of β, how many users of each graph.
        forge_degree: see :class:`ListAttack`.

    Example::

        Poison.random(fraction=0.3).apply(reports, rng=7)
    """

    w1: float
    w2: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.w1, "w1", "Poison")
        check_share(self.w2, "w2", "Poison")

    @classmethod
    def all_ones(cls, *, fraction: float | None = None, liars: int | None = None, forge_degree: bool = True) -> Poison:
        """Everybody is on the list: Poison(1, 1)."""
        return cls(1.0, 1.0, fraction=fraction, liars=liars, forge_degree=forge_degree)

    @classmethod
    def all_zeros(cls, *, fraction: float | None = None, liars: int | None = None, forge_degree: bool = True) -> Poison:
        """Nobody is on the list: Poison(0, 0)."""
        return cls(0.0, 0.0, fraction=fraction, liars=liars, forge_degree=forge_degree)

    @classmethod
    def random(cls, *, fraction: float | None = None, liars: int | None = None, forge_degree: bool = True) -> Poison:
        """A coin for everybody: Poison(½, ½)."""
        return cls(0.5, 0.5, fraction=fraction, liars=liars, forge_degree=forge_degree)

    def script(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Script:
        """The honest list, changed with ω₁ and ω₂."""
        return Script(ForgedLists(reports.indptr, reports.indices), self.w1, self.w2)


def forged_degrees(reports: Reports, lengths: NDArray[np.int64], key: Key) -> NDArray[np.float64]:
    """A d* for every user that fits a fake list of the given length.

    An honest list is about as long as its d* says: E[|ã|] = d* up to d* = (n−1)/2, and beyond, where DPRR's q is 1,
    (2p−1)d* + (1−p)(n−1) for a true degree of d*. A forger turns this around and adds the spread that an honest list
    of length L shows around its mean, √(L(1−L/(n−1))), as a factor: a list that is not empty comes from a d* above
    zero. For an empty one she draws what honest empty lists come from, a d* below zero: −Exp(1/ε₁).

    Args:
        reports: whose laws to fit.
        lengths: of the fake lists.
        key: the seed.
    """
    uniform = to_uniform(backend.first_words(UserRows.of(reports), Stream.DEGREE, key)[:, 0])
    others = np.maximum(np.repeat(reports.sizes, reports.sizes) - 1, 1)
    with np.errstate(over="ignore"):
        flip = 1 / (np.exp(reports.epsilon2) + 1)
    steep = np.maximum(1 - 2 * flip, 1e-9)
    fitting = np.where(lengths <= others / 2, lengths, (lengths - flip * others) / steep)
    spread = np.sqrt(lengths * np.maximum(1 - lengths / others, 0.0))
    below = np.log(uniform) / np.maximum(reports.epsilon1, 1e-9)
    factor = np.exp(spread / np.maximum(fitting, 1) * ndtri(uniform))
    forged = np.where(lengths > 0, fitting * factor, below)
    if reports.noise == "discrete":
        forged = np.where(lengths > 0, np.maximum(np.round(forged), 1), np.round(forged))
    return np.asarray(forged, np.float64)


def check_share(value: float | None, name: str, owner: str) -> None:
    """Refuse what is not a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 <= value <= 1.0:
        raise bad_parameter(name, owner, "a number from 0 to 1", value)


def positions(graphs: ArrayLike, reports: Reports, owner: str) -> NDArray[np.int64]:
    """Graphs' positions, checked."""
    given = np.asarray(graphs)
    whole = given.ndim == 1 and (given.dtype.kind in "iu" or not given.size)
    if not whole or (given.size and not (given.min() >= 0 and given.max() < reports.num_graphs)):
        raise bad_parameter("graphs", owner, f"positions from 0 to {reports.num_graphs - 1}", given.tolist()[:3])
    return given.astype(np.int64)
