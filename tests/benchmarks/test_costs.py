"""What kernels cost, counted by hand on small tensors; and that no kernel is left out."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import torch

from graphldp.benchmarks.costs import COSTS, Cost
from graphldp.learn import engine

CUDA = Path(engine.__file__).parent / "cuda"


def kernels() -> dict[str, list[str]]:
    """The kernels' arguments, read from their source: where there is no GPU they cannot be imported."""
    found = {}
    for file in ("list_kernels.py", "map_kernels.py"):
        for node in ast.parse((CUDA / file).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(each) for each in node.decorator_list):
                found[node.name] = [each.arg for each in node.args.args]
    return found


class Asked(dict[str, Any]):
    """Arguments that remember who was asked for."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__(given)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return super().__getitem__(name)


def some() -> dict[str, Any]:
    """Two tiles of four rows of three numbers, which list five entries."""
    rows = torch.zeros(8, 3)
    of_rows = {name: torch.zeros(2, 4, 3) for name in ("y", "grad", "d_x")}
    of_tiles = {name: torch.zeros(2, 3) for name in ("means", "spreads", "shifts", "slopes")}
    places = {
        name: torch.zeros(8, dtype=torch.int32) for name in ("start", "shift", "block", "source", "own", "target")
    }
    return {
        **{"x": torch.zeros(2, 4, 3), "out": rows, "length": torch.tensor([2, 0, 3, 0, 0, 0, 0, 0]), "channels": 3},
        **{"col": torch.zeros(9, dtype=torch.int32), "val": torch.zeros(9), "crow": torch.zeros(9, dtype=torch.int64)},
        **{"first": torch.zeros(3, dtype=torch.int64), "counts": torch.zeros(8), "weights": torch.zeros(2)},
        **{"sums": torch.zeros(2, 3), "weight": torch.zeros(1, 3, 3), "d_weight": torch.zeros(2, 9)},
        **{
            "parts": torch.zeros(3, 8, 3, dtype=torch.bfloat16),
            "graph": torch.tensor([0, 1]),
            "size": torch.tensor([70, 3]),
        },
        **{
            "part": torch.tensor([0, -1]),
            "inputs": 3,
            "outputs": 3,
            "IN": 16,
            "OUT": 16,
            "SIZE": 4,
            "WIDTH": 16,
            "ROWS": 128,
        },
        **{"NORM": True, "TO_X": True, "PLUS": False},
        **of_rows,
        **of_tiles,
        **places,
    }


def test_every_kernel_has_a_cost_that_reads_its_own_arguments() -> None:
    known = kernels()
    assert COSTS.keys() == known.keys()
    for name, cost in COSTS.items():
        given = Asked(some() | ({"x": torch.zeros(8, 3)} if name.startswith("aggregate") else {}))
        numbers = cost(given).numbers()
        assert given.names <= {*known[name]}, name
        assert numbers["memory"] > 0
        assert numbers["cache"] > 0


def test_a_linear_map_by_hand() -> None:
    cost = COSTS["linear"](some())
    # x and y of 24 numbers, 9 weights, 8 counts, and of each of two tiles a weight, 3 means and 3 sums of squares
    assert cost.memory == 4 * (24 + 24 + 9 + 8 + 2 + 6 + 6)
    assert cost.single == 3 * 2 * 8 * 16 * 16  # three passes, in blocks of 16
    assert cost.half == 0
    halved = COSTS["linear"](some() | {"x": torch.zeros(2, 4, 3, dtype=torch.bfloat16)})
    assert (halved.single, halved.half) == (0, 2 * 8 * 16 * 16)


def test_a_gather_counts_every_entry_in_the_cache_and_once_in_memory() -> None:
    x = torch.zeros(8, 3)
    cost = COSTS["aggregate"](some() | {"x": x})
    tables, out = 8 * (4 + 8 + 4), 8 * 3 * 4
    assert float(cost.memory) == 8 * 3 * 4 + out + tables + 5 * 8
    assert float(cost.cache) == 5 * (3 * 4 + 8) + out + tables
    assert float(cost.plain) == 2 * 5 * 3


def test_bits_by_tensor_cores() -> None:
    cost = COSTS["aggregate_dense"](some())
    assert float(cost.half) == 3 * 2 * 128 * 128 * 16  # one program with 70 columns in two words; the other has no part


def test_costs_add_up() -> None:
    assert Cost(1, 2, 3, 4, 5) + Cost(half=1) == Cost(1, 2, 3, 4, 6)
