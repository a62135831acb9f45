"""What else could be done, measured beside what is done: one training on a GPU, and a fit of the recipe.

::

    python -m graphldp.benchmarks.variants gpu --root data --out benchmarks/results/variants-gpu.json
    python -m graphldp.benchmarks.variants recipe --root data --out benchmarks/results/variants-recipe.json

Each variant changes one thing for as long as it is measured. All of them take turns, round after round, with the code
as it is among them, and the fastest of each counts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from graphldp.benchmarks import gpu, timing
from graphldp.benchmarks.roofline import not_recorded

AS_IT_IS = "as it is"
ROUNDS, EPOCHS = 3, 6
Variants = Mapping[str, Callable[[], AbstractContextManager[object]]]


@contextmanager
def other(owner: object, name: str, value: object) -> Iterator[None]:
    """Inside, something has another value."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def on_a_gpu() -> Variants:
    """Of one training: how batches are laid out, and how kernels are started."""
    from graphldp.learn.engine.cuda import lists, maps
    from graphldp.learn.engine.packed import in_place, layout

    rows = {
        "two rows a program": {"ROWS": 2, "ENTRIES": 16, "num_warps": 1},
        "four rows a program": {"ROWS": 4, "ENTRIES": 8, "num_warps": 1},
        "8 entries at a time": {"ROWS": 1, "ENTRIES": 8, "num_warps": 1},
        "16 entries at a time": {"ROWS": 1, "ENTRIES": 16, "num_warps": 1},
        "64 entries at a time": {"ROWS": 1, "ENTRIES": 64, "num_warps": 1},
        "64 entries at a time, two warps a program": {"ROWS": 1, "ENTRIES": 64, "num_warps": 2},
        "two warps a program": {"ROWS": 1, "ENTRIES": 32, "num_warps": 2},
    }
    return {
        AS_IT_IS: nullcontext,
        "kernels started one by one, not recorded": not_recorded,
        **{
            f"{grades} sizes of room in an octave": partial(other, layout, "GRADES", grades) for grades in (1, 2, 8, 16)
        },
        **{f"tiles of {size} rows": partial(other, in_place, "SMALL_TILE", size) for size in (256, 512)},
        **{f"aggregation, {name}": partial(other, lists, "_FEW_ROWS", shape) for name, shape in rows.items()},
        **{f"sums over {many} tiles at a time": partial(other, maps, "_TILES", many) for many in (64, 128)},
        "linear maps, 32 rows at a time": partial(other, maps, "_STEP", 32),
        "linear maps, 128 rows at a time": partial(other, maps, "_STEP", 128),
        "linear maps, eight warps a program": partial(other, maps, "_warps", lambda x: 8),
        "linear maps, two warps a program": partial(other, maps, "_warps", lambda x: 2),
    }


def of_the_recipe() -> Variants:
    """Of a fit: threads, trees and the kernel."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    from graphldp.learn.tables import kernel, mixture

    trees, plain = HistGradientBoostingClassifier, kernel._kernel
    single: Callable[..., Any] = lambda one, two: plain(one.astype(np.float32), two.astype(np.float32))  # noqa: E731
    return {
        AS_IT_IS: nullcontext,
        "trees by all threads": partial(other, mixture, "_FEW", 0),
        "folds side by side, in two threads": partial(other, mixture.Mixture, "_by_folds", _side_by_side),
        "products by one thread": partial(threadpool_limits, 1, user_api="blas"),
        "the kernel in single precision": partial(other, kernel, "_kernel", single),
        "trees of 64 bins in place of 255": partial(
            other, mixture, "HistGradientBoostingClassifier", partial(trees, max_bins=64)
        ),
        "trees that look at all columns": partial(other, mixture, "HistGradientBoostingClassifier", _greedy(trees)),
        "half as many trees, each counted twice": partial(
            other, mixture, "HistGradientBoostingClassifier", _fewer(trees)
        ),
    }


def _greedy(trees: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **given: trees(**(given | {"max_features": 1.0}))


def _fewer(trees: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **given: trees(**(given | {"max_iter": 100, "learning_rate": 0.06}))


def _side_by_side(mixture: Any, X: Any, y: Any, fold: Any) -> Any:
    from graphldp.learn.tables.mixture import FoldsSay

    said = FoldsSay(*np.zeros((2, len(y), y.max() + 1)))

    def learn(work: tuple[int, int]) -> None:
        each, which = work
        held, table = fold == each, (X[:, :1], X)[which]
        said[which][held] = mixture._pair(table[~held], y[~held]).predict_proba(table[held])

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(learn, [(each, which) for each in range(int(fold.max()) + 1) for which in (1, 0)]))
    return said


def measured(variants: Variants, once: Callable[[], tuple[float, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """A row for each: the least seconds, and how they compare with the code as it is."""
    least: dict[str, float] = {}
    beside: dict[str, dict[str, Any]] = {}
    for _ in range(ROUNDS):
        for name, changed in variants.items():
            with changed():
                seconds, beside[name] = once()
            least[name] = min(seconds, least.get(name, seconds))
    for name, seconds in least.items():
        against = round(seconds / least[AS_IT_IS], 2)
        yield {"variant": name, "seconds": round(seconds, 5), "against": against, **beside[name]}


def one_training(root: Path | None) -> Callable[[], tuple[float, dict[str, Any]]]:
    """The fastest epoch of REDDIT-BINARY under DPRR."""
    import torch

    from graphldp.learn.engine.gin import ModelSpec
    from graphldp.learn.engine.packed.batches import PackedGraphs

    lists = gpu.drawn("REDDIT-BINARY", root)
    packed = PackedGraphs.pack(lists, ModelSpec(num_classes=2), torch.device("cuda"), lists.labels)

    def once() -> tuple[float, dict[str, Any]]:
        history = gpu.trained(packed, EPOCHS).history
        return min(each.seconds for each in history), {"loss": round(history[-1].train_loss, 5)}

    return once


def one_fit(root: Path | None) -> Callable[[], tuple[float, dict[str, Any]]]:
    """A fit of the recipe at ε = 1, and its accuracy."""
    from graphldp.learn.recipe import recommended
    from graphldp.learn.selection import split

    recipe = recommended(1.0)
    reports = recipe.mechanism.randomize(timing.dataset(root), rng=0)
    train, validation, test = split(reports.labels, seed=0)
    learned, scored = reports.subset(np.concatenate((train, validation))), reports.subset(test)
    recipe.classifier.fit(reports.subset(validation))  # loads and compiles

    def once() -> tuple[float, dict[str, Any]]:
        began = perf_counter()
        recipe.classifier.fit(learned)
        return perf_counter() - began, {"accuracy": round(recipe.classifier.score(scored), 4)}

    return once


def main() -> None:
    """Measure and write JSON."""
    parser = argparse.ArgumentParser(description="What else could be done, beside what is done.")
    parser.add_argument("of", choices=("gpu", "recipe"))
    parser.add_argument("--root", type=Path, default=None, help="where datasets lie")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    if given.of == "gpu":
        machine, variants, once = gpu.machine(), on_a_gpu(), one_training(given.root)
    else:
        machine, variants, once = timing.machine(), of_the_recipe(), one_fit(given.root)
    rows = list(measured(variants, once))
    given.out.write_text(json.dumps({"machine": machine, "rows": rows}, indent=2, ensure_ascii=False) + "\n")
    for row in rows:
        print(row, flush=True)


if __name__ == "__main__":
    main()
