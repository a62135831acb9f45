"""What each kernel of training on a GPU has to move and to compute, from what it is started with.

Three numbers a start. *Memory*: every tensor that it reads or writes, once for each pass over it; tables of a few
numbers a tile or a graph are left out. *Cache*: the same, but a gather counts for each entry, since most of it comes
from the cache. *Operations*: additions and multiplications of plain arithmetic, or of tensor cores, where each pass of
a product counts. Rows that fill up a tile count too: the kernel works on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

Given = dict[str, Any]
"""A kernel's arguments by name."""
PASSES = 3  # of tensor cores, for one product in single precision


@dataclass(frozen=True)
class Cost:
    """What one start, or all starts of a kernel, need; numbers that depend on tensors' content are tensors.

    Args:
        memory: bytes, each tensor once.
        cache: bytes, each entry of a gather.
        plain: operations outside of tensor cores.
        single: operations of tensor cores on three parts of single precision.
        half: operations of tensor cores on numbers in half the bytes.
    """

    memory: Any = 0
    cache: Any = 0
    plain: Any = 0
    single: Any = 0
    half: Any = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(*(one + two for one, two in zip(vars(self).values(), vars(other).values(), strict=True)))

    def numbers(self) -> dict[str, float]:
        """As plain numbers."""
        return {name: float(value) for name, value in vars(self).items()}


def size(*tensors: Tensor) -> int:
    """Bytes of all that these hold."""
    return sum(each.numel() * each.element_size() for each in tensors)


def _passed_over(plain: int, *names: str) -> Callable[[Given], Cost]:
    """A pass over some tensors: so many operations for each number of the first."""

    def cost(given: Given) -> Cost:
        moved = size(*(given[name] for name in names))
        return Cost(moved, moved, plain * given[names[0]].numel())

    return cost


def _aggregate(given: Given) -> Cost:
    x, out, rows = given["x"], given["out"], len(given["start"])
    entries, channels = given["length"].sum().double(), x.shape[1]
    tables = size(given["start"], given["length"], given["shift"])
    each = given["col"].element_size() + given["val"].element_size()
    listed = entries.clamp(max=given["col"].numel()) * each  # batches of many models read the same lists
    plus = size(given["block"], given["counts"], given["sums"]) if given.get("PLUS") else 0
    once = size(x, out) + tables + plus
    gathered = entries * (channels * x.element_size() + each) + size(out) + tables + plus
    return Cost(once + listed, gathered, 2 * entries * channels + (2 * rows * channels if plus else 0))


def _dense(given: Given) -> Cost:
    parts, out, wide = given["parts"], given["out"], given["WIDTH"]
    n = given["size"][given["graph"]] * (given["part"] >= 0)
    words = (n + 63) // 64
    bits = (given["ROWS"] * words * 8).sum().double()  # as many rows as a program has, a bit for each pair
    read = (n * given["channels"] * 2 * PASSES).sum().double()  # each program reads all rows of its graph
    done = (2 * PASSES * given["ROWS"] * 64 * words * wide).sum().double()
    return Cost(size(parts, out) + bits, read + bits + size(out), half=done)


def _products(given: Given, moved: int, products: int, plain: int) -> Cost:
    rows = given["x"].shape[0] * given["SIZE"]
    done = 2 * rows * given["IN"] * given["OUT"] * products
    if given["x"].element_size() == 2:
        return Cost(moved, moved, plain * rows, half=done)
    return Cost(moved, moved, plain * rows, single=PASSES * done)


def _linear(given: Given) -> Cost:
    told = size(*(given[name] for name in ("x", "y", "weight", "counts", "weights", "means", "spreads")))
    return _products(given, told, 1, 6 * given["outputs"] + (4 * given["inputs"] if given["NORM"] else 0))


def _gradients(given: Given) -> Cost:
    names = ["grad", "x", "y", "weight", "counts", "d_weight"] + ["d_x"] * bool(given["TO_X"])
    plain = 7 * given["outputs"] + (4 * given["inputs"] if given["NORM"] else 0)
    return _products(given, size(*(given[name] for name in names)), 1 + bool(given["TO_X"]), plain)


def _spread(given: Given) -> Cost:
    moved = size(given["out"], given["block"], given["counts"])
    return Cost(moved + size(given["grad"]), moved + size(given["out"]), given["out"].numel())


def _locate(given: Given) -> Cost:
    moved = size(*(given[name] for name in ("source", "block", "start", "length", "shift")))
    looked_up = len(given["source"]) * (2 * given["crow"].element_size() + given["first"].element_size())
    return Cost(moved, moved + looked_up, 2 * len(given["source"]))


def _lay_out(given: Given) -> Cost:
    moved = size(given["block"], given["source"], given["own"], given["shift"], given["target"])
    return Cost(moved, moved + size(given["own"]), 2 * len(given["block"]))


COSTS: dict[str, Callable[[Given], Cost]] = {
    "aggregate": _aggregate,
    "aggregate_narrow": _aggregate,
    "aggregate_dense": _dense,
    "split": _passed_over(6, "x", "parts"),
    "locate": _locate,
    "lay_out": _lay_out,
    "spread": _spread,
    "readout": _passed_over(2, "x", "counts", "out"),
    "linear": _linear,
    "normalise": _passed_over(4, "y", "out"),
    "statistics": _passed_over(6, "means", "means", "spreads", "weights"),  # two passes over the means
    "gradient_sums": _passed_over(7, "y", "grad"),
    "gradient_totals": _passed_over(2, "shifts", "slopes"),
    "gradients": _gradients,
    "totals": _passed_over(1, "parts", "out"),
}
"""By the kernel's name, for all kernels of :mod:`graphldp.learn.engine.cuda`."""
