"""Work on batch after batch, recorded as CUDA graphs.

A step of one training is some two hundred small kernels. Starting each of them from Python takes longer than running
it, so a step is recorded once for each size of batch and from then on started as a whole. What differs between two
steps is copied to where the recorded kernels read it. Many trainings as one keep the chip busy either way, but a
recorded epoch is started in a tenth of its time, which leaves the host the rest to make the next one's tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphldp.learn.engine.packed.batches import Batches, Room
from graphldp.learn.engine.packed.store import GraphStore
from graphldp.learn.engine.rows import kernels_for

Work = Callable[..., None]
RECORDED = 1 << 20
"""Rows of a batch up to which a step is always recorded. Of larger ones, each of which keeps gigabytes to work in, as
many are recorded as leave half of the device's memory free."""


@dataclass(frozen=True)
class Steps:
    """Some steps that can begin: tables of batches for compiled kernels or what gathers batches, and what is beside."""

    batches: Batches | Callable[[], Iterable[Any]]
    beside: tuple[Tensor, ...]


@dataclass
class _Recording:
    """The inputs of a size of batch, and its kernels once they are recorded."""

    given: tuple[Tensor, ...]
    graph: torch.cuda.CUDAGraph | None = None


class Replay:
    """Work on batches: for each step ``work(batch, *beside)``, without a result.

    All that the work writes must stay where it is from one step to the next, and it may not wait for the device.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._recordings: dict[Room, _Recording] = {}

    def forget(self) -> None:
        """Let recordings go: what they wrote to has moved."""
        large = [each for room, each in self._recordings.items() if max(room) > RECORDED and each.graph is not None]
        self._recordings = {}
        if large and not _ample(large.pop().given[0].device):
            torch.cuda.empty_cache()  # else their memory would be kept for recordings that never come again

    def prepare(
        self,
        store: GraphStore,
        ids: NDArray[np.int64],
        layers: int,
        kept: torch.dtype,
        *beside: Tensor,
        passes: ModuleType | None = None,
    ) -> Steps:
        """Lay out batches (:class:`~graphldp.learn.engine.packed.batches.Batches`); the device need not wait.

        What is ``beside`` each step is on the device, [steps, …], of the same shapes at each call. ``passes`` are the
        compiled ones of one model on a CPU, where they do the work.
        """
        if passes is not None:
            return Steps(partial(passes.gather, store, ids, layers), beside)
        kernels = kernels_for(store.codes.device, store.dtype)
        # sums over dense lists differ between users in the third digit, which half the bytes would round away
        batches = Batches(store, ids, layers, kernels, torch.float32 if store.dense else kept)
        return Steps(batches if kernels.COMPILED else batches.__iter__, beside)

    def run(self, steps: Steps) -> None:
        """Work on batch after batch."""
        if not isinstance(steps.batches, Batches):
            for step, batch in enumerate(steps.batches()):
                self._work(batch, *(each[step] for each in steps.beside))
            return
        for step, room in enumerate(steps.batches.rooms):
            given = *steps.batches.tables(step), *(each[step] for each in steps.beside)
            self._step(steps.batches, room, given)

    def _step(self, batches: Batches, room: Room, given: tuple[Tensor, ...]) -> None:
        recording = self._recordings.get(room)
        if recording is None:  # the first step of its size compiles what there is to compile
            self._recordings[room] = _Recording(tuple(each.clone() for each in given))
            self._now(batches, room, self._recordings[room].given)
            return
        if recording.graph is None and max(room) > RECORDED and not _ample(given[0].device):
            self._now(batches, room, given)
            return
        for place, value in zip(recording.given, given, strict=True):
            place.copy_(value)
        if recording.graph is None:
            recording.graph = self._record(batches, room, recording.given)
        recording.graph.replay()

    def _now(self, batches: Batches, room: Room, given: tuple[Tensor, ...]) -> None:
        self._work(batches.make(room, *given[:3]), *given[3:])

    def _record(self, batches: Batches, room: Room, given: tuple[Tensor, ...]) -> torch.cuda.CUDAGraph:
        others = [each.graph for each in self._recordings.values() if each.graph is not None]
        graph, current = torch.cuda.CUDAGraph(), torch.cuda.current_stream()
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            # recordings run one after the other and leave nothing behind for each other, so they share their memory
            graph.capture_begin(pool=others[0].pool() if others else None, capture_error_mode="thread_local")
            self._now(batches, room, given)
            graph.capture_end()
        current.wait_stream(stream)
        return graph


def _ample(device: torch.device) -> bool:
    """Whether half of a device's memory is free.

    Then a recording fits. It takes no more than a step of its size that is not recorded, and such a step has run: what
    that took is kept for the next one, and is part of the half that is in use.
    """
    free, total = torch.cuda.mem_get_info(device)
    return 2 * free > total
