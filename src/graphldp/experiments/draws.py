"""A noise draw: the part of a cell that cells share, drawn once for all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DatasetNotFoundError
from graphldp.graphs import GraphSet
from graphldp.learn.inference.blink import Kind as BlinkKind
from graphldp.learn.inference.blink import denoise
from graphldp.mechanisms import ARR, DPRR, Blink, HubLists, LapGraph, Mechanism, NoisyDegrees, customized
from graphldp.mechanisms.degrees.estimators import Estimator
from graphldp.mechanisms.named import at_hand, named
from graphldp.neighbour_lists import NeighbourLists
from graphldp.privacy import Budget
from graphldp.reports import Reports

REPORTED = "reported"
"""The mechanism of reports that were drawn before, elsewhere: nothing is drawn, and there are no raw graphs."""

_ESTIMATORS: dict[str, Estimator] = {"dprr-unbiased": "unbiased", "dprr-bayes": "bayes"}
_DENOISED: dict[str, BlinkKind] = {"blink-hard": "hard", "blink-hybrid": "hybrid"}
_ARR_SAMPLING = 0.05  # lists about as long as DPRR's on REDDIT-BINARY at ε = 1
_BLINK_DELTA = 0.5  # of ε for the degree; at the authors' 0.1 half of a hard graph's edges are false
# Measured on randomized-response lists of 3, 16 and 40 million entries: 128, 161 and 98 bytes an entry at the peak.
_DRAWN = 12  # bytes an entry of plain lists, twice what they end up with and more
_PACKED = 44  # bytes an entry of packed lists, together with the copy that joins them
_PACKING = 120  # more while packing, which takes no more than so many entries at a time:
_AT_A_TIME = 1 << 25
_BYTES_PER_USER = 400


@dataclass(frozen=True)
class Context:
    """Where and with what cells are computed; nothing here changes their numbers.

    Args:
        root: a folder of datasets.
        files: saved sets of graphs by dataset, looked into first.
        device: where models are trained.
        memory: bytes that a cell may use; a larger one is recorded as such and not tried.
        at_once: trainings that run as one computation.
        workers: processes that prepare reports for a GPU, where that takes longer than a plain draw.
        deadline: a training that is not over by then is left out; of ``time.monotonic()``.
        own: references of the classes of one's own that cells name, as in ``path/own.py:Class``.
    """

    root: str | None = None
    files: tuple[tuple[str, str], ...] = ()
    device: str = "cpu"
    memory: int = 1 << 62
    at_once: int = 1
    workers: int = 1
    deadline: float = math.inf
    own: tuple[str, ...] = ()

    def load_own(self) -> None:
        """Load one's own classes into this process, which may be a worker's."""
        for reference in self.own:
            named(reference)


@dataclass(frozen=True)
class Draw:
    """Which noise on which graphs.

    Args:
        dataset: which graphs.
        mechanism: a name of the table of mechanisms, of a variant, or of a class of one's own that is loaded;
            :data:`REPORTED` where the dataset is a file of reports.
        epsilon: ε of private users, None for the two non-private ends.
        budget: (ε₁, ε₂) of DPRR, so that two splits that agree are one draw; None where the floor on ε₁ exceeds ε.
        public_fraction: λ.
        seed: of the noise and of who is public; None where nothing is drawn.
        options: parameters of the mechanism beside these, by name; all of them where the mechanism is given by its
            name in :mod:`graphldp.mechanisms.named`, none where this module knows them.
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
        """From a cell's parameters."""
        budget, options = params["budget"], params.get("options", {})
        given = {"budget": None if budget is None else tuple(budget), "options": tuple(sorted(options.items()))}
        return cls(**{**params, **given})

    def params(self) -> dict[str, Any]:
        """For a cell; options that are not there are not named, so that cells without any keep their identity."""
        found = asdict(self)
        del found["options"]
        return found | ({"options": dict(self.options)} if self.options else {})


def mechanism_of(draw: Draw, graphs: GraphSet) -> Mechanism:
    """The mechanism of a draw, with its public users drawn."""
    private = 1.0 if draw.epsilon is None else draw.epsilon
    epsilon: float | NDArray[np.float64] = private
    if draw.public_fraction:
        epsilon = customized(graphs, epsilon=private, public_fraction=draw.public_fraction, rng=draw.seed)
    if draw.options:
        return at_hand(draw.mechanism).make(epsilon, **dict(draw.options))
    if draw.mechanism.startswith("dprr"):
        estimator = _ESTIMATORS.get(draw.mechanism, "clip")
        return DPRR(epsilon, allocation="paper" if draw.budget is None else Budget(*draw.budget), estimator=estimator)
    if draw.mechanism == "recommended":
        from graphldp.learn.recipe import recommended  # needs scikit-learn, which a far machine may lack

        return recommended(epsilon).mechanism
    if draw.mechanism == "degrees":
        return NoisyDegrees(epsilon, noise="discrete")
    if draw.mechanism == "hub-lists":
        return HubLists(epsilon, least=0.0)
    if draw.mechanism == "lap-graph":
        return LapGraph(central=private)
    if draw.mechanism == "arr":
        return ARR(epsilon, sampling=_ARR_SAMPLING)
    if draw.mechanism.startswith("blink"):
        return Blink(epsilon, delta=_BLINK_DELTA)
    return at_hand(draw.mechanism).make(epsilon)


def randomize(draw: Draw, graphs: GraphSet) -> Reports:
    """The reports of a draw; of Blink, the graphs that its server makes of them."""
    reports = mechanism_of(draw, graphs).randomize(graphs, rng=draw.seed)
    kind = _DENOISED.get(draw.mechanism)
    return reports if kind is None else denoise(reports, kind).reports


def lists_of(draw: Draw) -> Draw | None:
    """The draw of the lists that a server makes graphs of, one for all kinds of graphs; None where it makes none."""
    return replace(draw, mechanism="blink") if draw.mechanism in _DENOISED else None


def graphs_of(draws: Sequence[Draw], context: Context) -> list[Reports]:
    """The graphs that a server makes of the same lists, which are not kept: they are dense."""
    graphs = load(draws[0].dataset, context)
    lists = mechanism_of(draws[0], graphs).randomize(graphs, rng=draws[0].seed)
    return [denoise(lists, _DENOISED[draw.mechanism]).reports for draw in draws]


@lru_cache(maxsize=1)
def reports_of(draw: Draw, context: Context) -> Reports:
    """The reports of a draw, kept until the next one is asked for: cells of several kinds may share it."""
    if draw.mechanism == REPORTED:
        return Reports.load(_saved(draw.dataset, context))
    return randomize(draw, load(draw.dataset, context))


@lru_cache(maxsize=2)
def load(dataset: str, context: Context) -> GraphSet:
    """The graphs of a dataset, kept in memory: a worker meets the same one again and again."""
    if dataset.startswith("file:") or dataset in dict(context.files):
        return GraphSet.load(_saved(dataset, context))
    from graphldp.datasets import load_dataset, synthetic

    if dataset.startswith(synthetic.PREFIX):
        return synthetic.embedded(dataset)
    return load_dataset(dataset, context.root, download=False)


def _saved(dataset: str, context: Context) -> str:
    saved = dict(context.files).get(dataset)
    if saved is None:
        raise DatasetNotFoundError(
            f"The graphs of {dataset} are not on this machine: pass the .npz file as the dataset."
        )
    return saved


def raw_graphs(draw: Draw, context: Context) -> GraphSet | None:
    """What a draw was drawn from; None where only reports are at hand."""
    return None if draw.mechanism == REPORTED else load(draw.dataset, context)


def given_lists(draw: Draw, context: Context) -> NeighbourLists:
    """What is there before anything is drawn: raw graphs, or reports that were drawn elsewhere."""
    graphs = raw_graphs(draw, context)
    return reports_of(draw, context) if graphs is None else graphs


def expected_entries(draw: Draw, graphs: NeighbourLists) -> float:
    """About how many entries the noisy lists will have."""
    n, d = np.repeat(graphs.sizes, graphs.sizes).astype(np.float64), graphs.degrees
    private = 1.0 - draw.public_fraction
    sampling = 1.0 if draw.mechanism == "rr" else _ARR_SAMPLING if draw.mechanism == "arr" else None
    if sampling is not None and draw.epsilon is not None:
        flip = 1.0 / (1.0 + np.exp(draw.epsilon))
        private *= sampling
        return float((private * (flip * (n - 1 - d) + (1 - flip) * d) + draw.public_fraction * d).sum())
    for_degree = draw.budget[0] if draw.mechanism.startswith("dprr") and draw.budget is not None else None
    if draw.mechanism in _DENOISED and draw.epsilon is not None:
        for_degree = _BLINK_DELTA * draw.epsilon  # a hybrid graph has about as many edges as its noisy degrees say
    if for_degree is not None:
        scale = 1.0 / for_degree
        noisy = np.minimum(d + scale / 2 * np.exp(-d / scale), n)  # E[max(0, d + Lap)]
        return float((private * noisy + draw.public_fraction * d).sum())
    return 0.0 if draw.mechanism in ("noisy-degrees", "degrees") else float(graphs.num_entries)


def drawn_bytes(draw: Draw, graphs: NeighbourLists) -> int:
    """About how much memory the reports take as they are drawn."""
    return int(_DRAWN * expected_entries(draw, graphs) + _BYTES_PER_USER * graphs.num_users)


def packed_bytes(draw: Draw, graphs: NeighbourLists) -> int:
    """About how much memory the reports take once they are packed for training."""
    entries = expected_entries(draw, graphs)
    return int(min(_PACKED * entries, _dense_bytes(graphs, entries)) + _BYTES_PER_USER * graphs.num_users)


def _dense_bytes(graphs: NeighbourLists, entries: float) -> float:
    """What a GPU keeps where lists are dense: a byte for each pair, and lists of the few colours after one round."""
    pairs = float((graphs.sizes**2).sum())
    return pairs + 18 * min(entries, 50.0 * graphs.num_users) if 16 * entries > pairs else math.inf


def expected_bytes(draw: Draw, graphs: NeighbourLists) -> int:
    """About how much memory it takes at most to draw the reports and pack them for training."""
    at_once = min(expected_entries(draw, graphs), _AT_A_TIME)
    return packed_bytes(draw, graphs) + int(_PACKING * at_once)


def shortage(need: int, context: Context) -> str | None:
    """Why something does not fit, or None where it does."""
    if need <= context.memory:
        return None
    return f"needs about {need / 1e9:.1f} GB of memory; {context.memory / 1e9:.1f} GB were free"
