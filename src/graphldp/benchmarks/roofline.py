"""What bounds the kernels of stacked training: the bytes that each has to move against the time it takes.

::

    python -m graphldp.benchmarks.roofline --root data --out benchmarks/results/roofline.json

One batch of REDDIT-BINARY under DPRR at ε = 1 for each of 128 models, and its last convolution. A kernel has to read
and write each of its tensors once; what it gathers counts once for each entry, though most of that comes from the
cache. A plain copy of a tensor says what the memory gives.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphldp.benchmarks.gpu import BATCH, drawn, machine

if TYPE_CHECKING:
    from torch import Tensor

    from graphldp.learn.engine.rows import Rows

MODELS, HIDDEN, REPEATS = 128, 64, 5


def run(root: Path | None) -> Iterator[dict[str, Any]]:
    """Measure, one row for each kernel.

    Args:
        root: where REDDIT-BINARY lies.
    """
    import torch

    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.packed.batches import PackedGraphs, gather
    from graphldp.learn.engine.packed.store import Blocks

    device, spec = torch.device("cuda"), ModelSpec(num_classes=2, hidden=HIDDEN)
    store = PackedGraphs.pack(drawn("REDDIT-BINARY", root), spec, device).store
    ids = np.stack([np.random.default_rng(s).permutation(len(store.sizes))[:BATCH] for s in range(MODELS)])
    (batch,) = gather(store, ids[None], spec.layers)
    matrix, rows = store.rounds[-1].matrices[0], batch.rounds[-1]
    assert isinstance(matrix, Blocks)  # noqa: S101 - these lists are sparse
    entries = int(np.diff(matrix.entry_ptr)[ids].sum())
    for kept, after in ((torch.float32, ""), (torch.bfloat16, ", half the bytes")):
        x = torch.randn(len(rows.tiles.model), rows.tiles.size, HIDDEN, device=device).to(kept)
        count, tensor, tiles = x.numel() // HIDDEN, x.numel() * x.element_size(), len(x) * HIDDEN * HIDDEN * 4
        needed = {
            "aggregate": entries * (HIDDEN * x.element_size() + 8) + tensor,
            "linear": 2 * tensor,
            "normalise": 2 * tensor,
            "gradient_sums": 2 * tensor,
            "gradients": 4 * tensor + tiles,
            "totals": tiles,
            "readout": tensor,
        }
        taken, copy = _times(_layer(x, replace(rows, kept=kept))), _times({"copy": x.clone})["copy"]
        best = 2 * tensor / copy
        sizes = {"rows": count, "entries": entries}
        yield {"kernel": f"a copy of the rows{after}", **sizes, **_row(2 * tensor, copy, best)}
        for name, size in needed.items():
            yield {"kernel": f"{name}{after}", **_row(size, taken[name], best)}


def _row(size: int, seconds: float, best: float) -> dict[str, Any]:
    return {
        "milliseconds": round(seconds * 1e3, 3),
        "megabytes": round(size / 1e6),
        "gigabytes_per_s": round(size / seconds / 1e9),
        "against_a_copy": round(size / seconds / best, 2),
    }


def _layer(x: Tensor, rows: Rows) -> dict[str, Callable[[], object]]:
    """What starts each kernel of a layer."""
    import torch

    from graphldp.learn.engine import cuda

    weight = torch.randn(MODELS, HIDDEN, HIDDEN, device=x.device) / HIDDEN**0.5
    zeros, ones = torch.zeros(MODELS, HIDDEN, device=x.device), torch.ones(MODELS, HIDDEN, device=x.device)
    one = weight, zeros, ones, zeros, zeros.clone(), ones.clone()
    y, norm = cuda.forward(x, one, rows, None)
    flat, grad = x.flatten(0, 1), torch.randn_like(y)
    # the second map of a layer, whose input is normalised as it is read
    backward = lambda: cuda.backward(grad, x, y, weight, norm, rows, norm, to_x=True)  # noqa: E731
    return {
        "aggregate": lambda: rows.matrices[0].forward @ flat,
        "linear": lambda: cuda.forward(x, one, rows, norm),
        "normalise": lambda: cuda.normalise(y, norm, rows),
        "gradient_sums": backward,
        "gradients": backward,
        "totals": backward,
        "readout": lambda: rows.readout.forward @ flat,
    }


def _times(work: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of one call of each kernel, by its name; of all kernels where the name is none of them."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    found = {}
    for name, start in work.items():
        start()
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as events:
            for _ in range(REPEATS):
                start()
            torch.cuda.synchronize()
        spent = {each.key: each.device_time_total for each in events.key_averages()}
        found[name] = spent.get(name, sum(spent.values())) / REPEATS / 1e6
    return found


def main() -> None:
    """Measure and write JSON."""
    parser = argparse.ArgumentParser(description="Bytes and time of each kernel of stacked training.")
    parser.add_argument("--root", type=Path, default=None, help="where datasets lie")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows = list(run(given.root))
    given.out.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2, ensure_ascii=False) + "\n")
    for row in rows:
        print(row, flush=True)


if __name__ == "__main__":
    main()
