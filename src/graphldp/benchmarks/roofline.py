"""What bounds each kernel of training on a GPU, and which share of an epoch it takes.

::

    python -m graphldp.benchmarks.roofline --root data --out benchmarks/results/roofline.json

REDDIT-BINARY at ε = 1, four kinds of epoch: 128 trainings as one under DPRR, in single precision and with half the
bytes, and one training, under DPRR and under RR, whose lists are bits. One epoch is counted: what every kernel has to
move and to compute (:mod:`graphldp.benchmarks.costs`). The next one is timed, kernel by kernel. Both run kernel after
kernel and not as recordings, which changes the gaps between kernels and not the kernels.

What the chip gives is measured in the same run: a copy of a large tensor (memory), a kernel that reads what lies in the
cache, large products by plain arithmetic and by tensor cores, and a kernel that does nothing. A kernel's roof is the
slowest of what it needs at these speeds, and the table says how near it comes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from graphldp.benchmarks.costs import COSTS, Cost
from graphldp.benchmarks.gpu import BATCH, drawn, machine
from graphldp.mechanisms.named import label_of

if TYPE_CHECKING:
    from graphldp.neighbour_lists import NeighbourLists

MODELS, REPEATS = 128, 10
EPOCHS = [("dprr", MODELS, False), ("dprr", MODELS, True), ("dprr", 1, False), ("rr", 1, False)]
"""Which mechanism, how many trainings as one, and whether with half the bytes."""
LARGE, PRODUCT = 1 << 30, 8192  # bytes of a copy; n of an n × n product
SMALL = 16 << 20  # bytes that stay in the cache
PROGRAMS, TIMES, BLOCK = 4096, 64, 4096  # that read it: so many blocks of so many numbers each
Rates = dict[str, float]
GIVES = {
    "memory": "TB/s of memory",
    "cache": "TB/s of the cache",
    "plain": "plain TFLOP/s",
    "single": "TFLOP/s of tensor cores in single precision",
    "half": "TFLOP/s of tensor cores with half the bytes",
}


def run(root: Path | None, rates: Rates) -> Iterator[dict[str, Any]]:
    """Measure, a row for each kernel of each kind of epoch.

    Args:
        root: where REDDIT-BINARY lies.
        rates: what the chip gives.
    """
    drawn_of: dict[str, NeighbourLists] = {}
    for mechanism, models, half in EPOCHS:
        lists = drawn_of.setdefault(mechanism, drawn("REDDIT-BINARY", root, mechanism))
        name = f"{models} trainings" if models > 1 else "one training"
        name += (f", {label_of(mechanism)}" if lists.bits is not None else "") + (", half the bytes" if half else "")
        yield from epoch(name, lists, models, half=half, rates=rates)


def ceilings() -> Rates:
    """Bytes a second from memory and from the cache; operations a second, plain and of tensor cores."""
    import torch

    from graphldp.benchmarks import reading

    large, small = (torch.ones(moved // 4, device="cuda") for moved in (LARGE, SMALL))
    found = {"memory": 2 * LARGE / _seconds(partial(torch.empty_like(large).copy_, large))}
    given = small, torch.empty(PROGRAMS, device="cuda"), len(small) // BLOCK
    again = partial(reading.read[PROGRAMS,], *given, TIMES=TIMES, BLOCK=BLOCK, num_warps=8)
    found["cache"] = PROGRAMS * TIMES * BLOCK * 4 / _seconds(again)
    found["starts"] = 1 / _alone(partial(reading.nothing[1,], given[1]))
    one = torch.randn(PRODUCT, PRODUCT, device="cuda")
    for name, kind, quick in (
        ("plain", torch.float32, False),
        ("single", torch.float32, True),
        ("half", torch.bfloat16, False),
    ):
        torch.backends.cuda.matmul.allow_tf32 = quick
        factor = one.to(kind)
        found[name] = 2 * PRODUCT**3 / _seconds(partial(torch.matmul, factor, factor))
    torch.backends.cuda.matmul.allow_tf32 = False
    return found


def epoch(name: str, lists: NeighbourLists, models: int, *, half: bool, rates: Rates) -> Iterator[dict[str, Any]]:
    """Rows of one kind of epoch: its kernels, the longest first, then all that is not ours."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.packed.batches import PackedGraphs
    from graphldp.learn.engine.training import Job, TrainingOptions, train_many

    spec = ModelSpec(num_classes=2)
    packed = PackedGraphs.pack(lists, spec, torch.device("cuda"), lists.labels)
    smallest = packed.subset([int(np.argmin(packed.store.sizes))])
    counted, timed = _Counted(), profile(activities=[ProfilerActivity.CUDA])

    def after(position: int, record: Any) -> None:
        if position:
            return
        torch.cuda.synchronize()
        if record.epoch == 1:  # which compiled
            counted.begin()
        elif record.epoch == 2:
            counted.end()
            timed.start()
        elif record.epoch == 3:
            timed.stop()

    options = [TrainingOptions(max_epochs=4, min_epochs=4, batch_size=BATCH, seed=s, half=half) for s in range(models)]
    with not_recorded():
        train_many([Job(spec, each, packed, smallest) for each in options], at_once=models, on_epoch=after)
    spent = {each.key: (each.device_time_total / 1e6, each.count) for each in timed.key_averages()}
    whole = sum(seconds for seconds, _ in spent.values())
    ours = sorted((kernel for kernel in counted.costs if kernel in spent), key=lambda kernel: -spent[kernel][0])
    for kernel in ours:
        cost = counted.costs[kernel].numbers() | {"starts": spent[kernel][1]}
        yield {"epoch": name, "kernel": kernel, **_row(*spent[kernel], whole), **_roofs(cost, spent[kernel][0], rates)}
    others = [each for kernel, each in spent.items() if kernel not in counted.costs]
    rest = sum(seconds for seconds, _ in others), sum(count for _, count in others)
    yield {"epoch": name, "kernel": "torch's own", **_row(*rest, whole)}


def _row(seconds: float, starts: int, whole: float) -> dict[str, Any]:
    return {"starts": starts, "milliseconds": round(seconds * 1e3, 3), "share": round(seconds / whole, 3)}


def _roofs(cost: dict[str, float], seconds: float, rates: Rates) -> dict[str, Any]:
    """How near a kernel comes to each of its limits, and which of them is the nearest."""
    near = {name: need / rates[name] / seconds for name, need in cost.items()}
    tensor = near.pop("single") + near.pop("half")
    near["tensor cores"] = tensor
    return {
        "gigabytes": round(cost["memory"] / 1e9, 3),
        "cached_gigabytes": round(cost["cache"] / 1e9, 3),
        "gigaoperations": round((cost["plain"] + cost["single"] + cost["half"]) / 1e9, 2),
        **{f"of_{name.replace(' ', '_')}": round(value, 3) for name, value in near.items()},
        "roof": max(near, key=lambda name: near[name]),
        "of_roof": round(max(near.values()), 3),
    }


class _Counted:
    """All kernels, each replaced by one that counts what it is started with and starts it, between begin and end."""

    def __init__(self) -> None:
        from graphldp.learn.engine.cuda import list_kernels, map_kernels

        self._modules: tuple[ModuleType, ...] = (list_kernels, map_kernels)
        self._kernels: dict[str, Any] = {}
        self.costs: dict[str, Cost] = {}

    def begin(self) -> None:
        for module in self._modules:
            for name in {*vars(module)} & {*COSTS}:
                self._kernels[name] = getattr(module, name)
                setattr(module, name, _Counting(self._kernels[name], partial(self._note, name)))

    def end(self) -> None:
        for module in self._modules:
            for name in {*vars(module)} & {*COSTS}:
                setattr(module, name, self._kernels[name])

    def _note(self, name: str, given: dict[str, Any]) -> None:
        self.costs[name] = self.costs.get(name, Cost()) + COSTS[name](given)


class _Counting:
    """A kernel that tells what it is started with."""

    def __init__(self, kernel: Any, note: Callable[[dict[str, Any]], None], grid: Any = None) -> None:
        self._kernel, self._note, self._grid = kernel, note, grid

    def __getitem__(self, grid: Any) -> Self:
        return type(self)(self._kernel, self._note, grid)

    def __call__(self, *given: Any, **named: Any) -> None:
        self._note(dict(zip(self._kernel.arg_names, given, strict=False)) | named)
        self._kernel[self._grid](*given, **named)


@contextmanager
def not_recorded() -> Iterator[None]:
    """Inside, every step starts its kernels one by one."""
    from graphldp.learn.engine.stacking import replay

    before = replay.RECORDED, replay._ample
    replay.RECORDED, replay._ample = 0, lambda device: False
    try:
        yield
    finally:
        replay.RECORDED, replay._ample = before


def _alone(work: Callable[[], object]) -> float:
    """Seconds of one start of a kernel, without what lies between two of them."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    work()
    with profile(activities=[ProfilerActivity.CUDA]) as timed:
        for _ in range(REPEATS):
            work()
        torch.cuda.synchronize()
    return float(sum(each.device_time_total for each in timed.key_averages())) / REPEATS / 1e6


def _seconds(work: Callable[[], object]) -> float:
    """Of one call, by the chip's clock."""
    import torch

    for _ in range(3):
        work()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    start.record()
    for _ in range(REPEATS):
        work()
    end.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(end)) / REPEATS / 1e3


def main() -> None:
    """Measure and write JSON, again after each row."""
    parser = argparse.ArgumentParser(description="What bounds each kernel of training on a GPU.")
    parser.add_argument("--root", type=Path, default=None, help="where datasets lie")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rates = ceilings()
    chip = machine() | {GIVES[name]: float(f"{rate / 1e12:.3g}") for name, rate in rates.items() if name in GIVES}
    chip |= {"microseconds of a kernel that does nothing": round(1e6 / rates["starts"], 2)}
    rows: list[dict[str, Any]] = []
    for row in run(given.root, rates):
        rows.append(row)
        given.out.write_text(json.dumps({"machine": chip, "rows": rows}, indent=2, ensure_ascii=False) + "\n")
        print(row, flush=True)


if __name__ == "__main__":
    main()
