"""What is proved of growth: that a wrong power fails, and that no public function is left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.proof import growth
from benchmarks.proof.setting import Scale

import graphldp as gl

FREE = {"Budget", "Guarantee", "GraphLDPError", "Mechanism", "RowMechanism", "Recipe", "check_mechanism", "recommended"}
"""What does no work on graphs of its own, or checks another's."""


@pytest.mark.parametrize(("power", "holds"), [(1.0, True), (1.4, True), (1.6, False), (2.0, False)])
def test_a_row_holds_up_to_its_power(power: float, holds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def prepared(size: int) -> Callable[[], object]:
        return lambda: sizes.append(size)

    cost = growth.Cost("a function", "n", "n", "n", 1, 100, prepared)
    monkeypatch.setattr(growth, "COSTS", [cost, growth.Cost("another", "n²", "n²")])

    def seconds(work: Callable[[], object]) -> float:
        work()
        return 0.001 * float(sizes[-1] ** power)

    monkeypatch.setattr(growth, "_seconds", seconds)
    finding = growth.prove(Scale.of(False), "time")
    assert list(finding.facts.values()) == [holds]
    assert sizes == [100, 100, 400, 1600]


def test_the_power_is_a_slope() -> None:
    sizes = np.array([10, 20, 40])
    assert growth.exponent(sizes.tolist(), (3.0 * sizes**1.7).tolist()) == pytest.approx(1.7)


def test_every_public_function_has_a_row() -> None:
    """And every class that is no mechanism: those of one kind share rows."""
    told = " ".join(cost.what for cost in growth.COSTS)
    values = {name: getattr(gl, name) for name in gl.__all__ if name not in FREE}
    mechanisms = {name for name, value in values.items() if isinstance(value, type) and issubclass(value, gl.Mechanism)}
    functions = {name for name, value in values.items() if callable(value) and name != "register"} - mechanisms
    assert len(functions) > 10
    assert not {name for name in functions if f"`{name}" not in told}


def test_memory_is_the_peak_of_arrays() -> None:
    assert growth._megabytes(lambda: np.ones(10**6)) == pytest.approx(8, rel=0.01)
