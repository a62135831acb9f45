"""A noise draw: the part of a cell that cells share, drawn once for all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DatasetNotFoundError
from graphldp.experiments.cells import TooLargeError
from graphldp.graphs import GraphSet
from graphldp.learn.inference.blink import denoise
from graphldp.mechanisms import ARR, DPRR, RR, LapGraph, Mechanism, NoisyDegrees, customized
from graphldp.mechanisms.named import VARIANTS, NamedMechanism, Variant, at_hand, named
from graphldp.neighbour_lists import NeighbourLists
from graphldp.privacy import Budget
from graphldp.reports import Reports

REPORTED = "reported"
"""The mechanism of reports that were drawn before, elsewhere: nothing is drawn, and there are no raw graphs."""

RECOMMENDED = "recommended"
"""The mechanism that ``gl.recommended`` chooses for ε."""

_STORED = {variant.stored: name for name, variant in VARIANTS.items()}
# Measured on randomized-response lists of 3, 16 and 40 million entries: 128, 161 and 98 bytes an entry at the peak.
_DRAWN = 12  # bytes an entry of plain lists, twice what they end up with and more
_PACKED = 44  # bytes an entry of packed lists, together with the copy that joins them
_PACKING = 120  # more while packing, which takes no more than so many entries at a time:
_AT_A_TIME = 1 << 25
_BYTES_PER_USER = 400


@dataclass(frozen=True)
class Context:
    """The context of computing: where and with what; nothing here changes a number.

    Args:
        root: a folder of datasets.
        files: saved sets of graphs by dataset, looked into first.
        device: where models are trained.
        memory: bytes that a cell may use; a larger one is recorded as such and not tried.
        at_once: trainings that run as one computation.
        workers: processes that prepare reports for a GPU, where that takes longer than a plain draw.
        deadline: a training that is not over by then is left out; of ``time.monotonic()``.
        own: references of the classes of one's own that cells name, as in ``path/own.py:Class``.
        given: graphs and reports that this process holds already, by dataset; other processes load theirs.
    """

    root: str | None = None
    files: tuple[tuple[str, str], ...] = ()
    device: str = "cpu"
    memory: int = 1 << 62
    at_once: int = 1
    workers: int = 1
    deadline: float = math.inf
    own: tuple[str, ...] = ()
    given: Mapping[str, NeighbourLists] = field(default_factory=dict, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "given": {}}

    def load_own(self) -> None:
        """Load one's own classes into this process, which may be a worker's."""
        for reference in self.own:
            named(reference)


@dataclass(frozen=True)
class Draw:
    """A draw: which noise on which graphs.

    Args:
        dataset: which graphs.
        mechanism: a name of :mod:`graphldp.mechanisms.named`, of a variant too, or of a class of one's own that is
            loaded; :data:`RECOMMENDED`; or :data:`REPORTED` where the dataset is a file of reports.
        epsilon: ε of private users, None for the two non-private ends.
        budget: (ε₁, ε₂) of DPRR, so that two splits that agree are one draw; None where the floor on ε₁ exceeds ε.
        public_fraction: λ.
        seed: of the noise and of who is public; None where nothing is drawn.
        options: parameters of the mechanism beside these, by name, where they are not its own or its variant's.
    """

    dataset: str
    mechanism: str
    epsilon: float | None = None
    budget: tuple[float, float] | None = None
    public_fraction: float = 0.0
    seed: int | None = None
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Draw:
        """From a cell's parameters; without options, a name is that of a variant where results use it for one."""
        budget, options = params["budget"], params.get("options", {})
        given: dict[str, Any] = {"budget": None if budget is None else tuple(budget)}
        given["options"] = tuple(sorted(options.items()))
        if not options:
            given["mechanism"] = _STORED.get(params["mechanism"], params["mechanism"])
        return cls(**{**params, **given})

    def params(self) -> dict[str, Any]:
        """The draw as a cell's parameters; a draw without options names none, so that its cells keep their identity."""
        found = asdict(self)
        del found["options"]
        if self.variant is not None:
            found["mechanism"] = self.variant.stored
        return found | ({"options": dict(self.options)} if self.options else {})

    @property
    def variant(self) -> Variant | None:
        """The variant; None where the mechanism is none."""
        return VARIANTS.get(self.mechanism)

    @property
    def settings(self) -> dict[str, Any]:
        """The mechanism's parameters beside ε, where they are not its own defaults."""
        found = dict(self.options if self.variant is None else self.variant.options)
        if self.record is not None and self.record.kind is DPRR and not self.options:
            found["allocation"] = "paper" if self.budget is None else Budget(*self.budget)
        return found

    @property
    def record(self) -> NamedMechanism | None:
        """The mechanism in the table; None where it is not there by itself."""
        if self.mechanism in (REPORTED, RECOMMENDED):
            return None
        return at_hand(self.mechanism if self.variant is None else self.variant.mechanism)


def mechanism_of(draw: Draw, graphs: GraphSet) -> Mechanism:
    """The mechanism of a draw, with its public users drawn."""
    private = 1.0 if draw.epsilon is None else draw.epsilon
    epsilon: float | NDArray[np.float64] = private
    if draw.public_fraction:
        epsilon = customized(graphs, epsilon=private, public_fraction=draw.public_fraction, rng=draw.seed)
    if draw.variant is not None and draw.variant.central:
        return LapGraph(central=private)
    if draw.record is not None:
        return draw.record.make(epsilon, **draw.settings)
    from graphldp.learn.recipe import recommended  # needs scikit-learn, which a far machine may lack

    return recommended(epsilon).mechanism


def randomize(draw: Draw, graphs: GraphSet) -> Reports:
    """The reports of a draw; of Blink, the graphs that its server makes of them."""
    reports = mechanism_of(draw, graphs).randomize(graphs, rng=draw.seed)
    graph = None if draw.variant is None else draw.variant.graph
    return reports if graph is None else denoise(reports, graph).reports


@lru_cache(maxsize=1)
def reports_of(draw: Draw, context: Context) -> Reports:
    """The reports of a draw, kept until the next one is asked for: cells of several kinds may share it."""
    if draw.mechanism == REPORTED:
        given = context.given.get(draw.dataset)
        return given if isinstance(given, Reports) else Reports.load(_saved(draw.dataset, context))
    return randomize(draw, load(draw.dataset, context))


@lru_cache(maxsize=2)
def load(dataset: str, context: Context) -> GraphSet:
    """The graphs of a dataset, kept in memory: a worker meets the same one again and again."""
    given = context.given.get(dataset)
    if isinstance(given, GraphSet):
        return given
    if dataset.startswith("file:") or dataset in dict(context.files):
        from graphldp.datasets.loading import read_graphs

        return read_graphs(_saved(dataset, context))
    from graphldp.datasets import synthetic
    from graphldp.datasets.loading import load_dataset

    if dataset.startswith(synthetic.PREFIX):
        return synthetic.embedded(dataset)
    return load_dataset(dataset, context.root, download=False)


def _saved(dataset: str, context: Context) -> str:
    saved = dict(context.files).get(dataset)
    if saved is None:
        raise DatasetNotFoundError(f"The graphs of {dataset} are not on this machine: pass the file as the dataset.")
    return saved


def raw_graphs(draw: Draw, context: Context) -> GraphSet | None:
    """The graphs that a draw was drawn from; None where only reports are at hand."""
    return None if draw.mechanism == REPORTED else load(draw.dataset, context)


def given_lists(draw: Draw, context: Context) -> NeighbourLists:
    """The lists before anything is drawn: raw graphs, or reports that were drawn elsewhere."""
    graphs = raw_graphs(draw, context)
    return reports_of(draw, context) if graphs is None else graphs


def expected_entries(draw: Draw, graphs: NeighbourLists) -> float:
    """The entries that the noisy lists will have, about."""
    n, d = np.repeat(graphs.sizes, graphs.sizes).astype(np.float64), graphs.degrees
    private, kind = 1.0 - draw.public_fraction, None if draw.record is None else draw.record.kind
    if kind in (RR, ARR) and draw.epsilon is not None:
        private *= draw.settings.get("sampling", 1.0)
        flip = 1.0 / (1.0 + np.exp(draw.epsilon))
        return float((private * (flip * (n - 1 - d) + (1 - flip) * d) + draw.public_fraction * d).sum())
    for_degree = draw.budget[0] if kind is DPRR and draw.budget is not None else None
    if draw.variant is not None and draw.variant.graph and draw.epsilon is not None:
        for_degree = draw.settings["delta"] * draw.epsilon  # a hybrid graph has about as many edges as its degrees say
    if for_degree is not None:
        scale = 1.0 / for_degree
        noisy = np.minimum(d + scale / 2 * np.exp(-d / scale), n)  # E[max(0, d + Lap)]
        return float((private * noisy + draw.public_fraction * d).sum())
    return 0.0 if kind is NoisyDegrees else float(graphs.num_entries)


def drawn_bytes(draw: Draw, graphs: NeighbourLists) -> int:
    """About how much memory the reports take as they are drawn."""
    return int(_DRAWN * expected_entries(draw, graphs) + _BYTES_PER_USER * graphs.num_users)


def packed_bytes(draw: Draw, graphs: NeighbourLists) -> int:
    """About how much memory the reports take once they are packed for training."""
    entries = expected_entries(draw, graphs)
    return int(min(_PACKED * entries, _dense_bytes(graphs, entries)) + _BYTES_PER_USER * graphs.num_users)


def _dense_bytes(graphs: NeighbourLists, entries: float) -> float:
    """Bytes that a GPU keeps of dense lists: one for each pair, and lists of the few colours after one round."""
    pairs = float((graphs.sizes**2).sum())
    return pairs + 18 * min(entries, 50.0 * graphs.num_users) if 16 * entries > pairs else math.inf


def expected_bytes(draw: Draw, graphs: NeighbourLists) -> int:
    """About how much memory it takes at most to draw the reports and pack them for training."""
    at_once = min(expected_entries(draw, graphs), _AT_A_TIME)
    return packed_bytes(draw, graphs) + int(_PACKING * at_once)


def check_memory(need: float, context: Context) -> None:
    """Raise where something does not fit."""
    if need > context.memory:
        raise TooLargeError(f"needs about {need / 1e9:.1f} GB of memory; {context.memory / 1e9:.1f} GB were free")
