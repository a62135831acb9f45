from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import graphldp as gl
from graphldp.audit.branches import BRANCHES
from graphldp.audit.montecarlo import audit_mechanism, lower_bound
from graphldp.mechanisms.base import DrawnLists
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key
from graphldp.mechanisms.named import NamedMechanism, mechanisms
from graphldp.privacy import Budget

# Seeds are fixed, so each test is passed or not once and for all. At 99.9 % confidence a sound mechanism fails for one
# seed in a thousand.
RECORDS = [record for record in mechanisms() if record.private]
PRIVATE = [record.make(4.0, **options) for record in RECORDS for options in record.audited_with]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_every_mechanism_of_the_table_is_audited_by_every_law_it_has(record: NamedMechanism) -> None:
    assert record.kind in BRANCHES
    assert record.audited_with
    if "noise" in record.options:
        made: list[Any] = [record.make(1.0, **options) for options in record.audited_with]
        assert {each.noise for each in made} == {"laplace", "discrete"}


@pytest.mark.parametrize("mechanism", PRIVATE, ids=repr)
def test_our_mechanisms_keep_their_promise(mechanism: gl.Mechanism) -> None:
    """And the bound is so near to ε that twice as much would be seen."""
    found = audit_mechanism(mechanism, samples=40_000)
    assert found.holds
    assert found.shown > found.claimed / 2


def test_a_branch_that_never_occurs_is_no_audit() -> None:
    found = audit_mechanism(gl.HubLists(2.0), samples=1000)
    assert not found.holds
    assert "never took its branch 'a hub'" in found.effort


def test_an_empty_list_is_not_no_list() -> None:
    """A hub whose list came out empty and a user who sends none: which of the two she is tells her degree."""
    assert audit_mechanism(GateByDegree(1.0), samples=10_000).shown > 4


@dataclass(frozen=True, eq=False, repr=False)
class GateByDegree(gl.HubLists):
    """Who has two friends sends a list, which is always empty, and the same d* as everybody else."""

    def draw_rows(self, rows: UserRows, budget: Budget, key: Key) -> DrawnLists:
        hub = rows.degrees > 1
        half = np.asarray(budget.degree) / 2
        drawn = super().draw_lists(rows, np.zeros(len(rows)), Budget(half, np.zeros(len(rows))), key)
        return replace(drawn, budget=Budget(half, np.where(hub, half, 0.0)))


def test_the_bound_comes_close_to_the_truth() -> None:
    found = audit_mechanism(gl.RR(1.0), samples=50_000)
    assert 0.9 < found.shown <= 1.0


@dataclass(frozen=True, eq=False, repr=False)
class Eager(gl.RowMechanism):
    """Randomized response that flips half as often as it says."""

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Any:
        return 1 - flip / 2, flip / 2


def test_a_broken_mechanism_of_ones_own_is_caught() -> None:
    found = audit_mechanism(Eager(1.0), samples=10_000)
    assert not found.holds
    assert found.shown > 1.3


def test_a_list_that_is_published_shows_no_limit() -> None:
    assert audit_mechanism(gl.NonPrivFull(), samples=10_000).shown > 6


def test_the_bound_errs_as_rarely_as_it_says() -> None:
    # Two equal coins: a bound above 0 is an error. At 90 % confidence at most 10 % of 200 pairs are: the chance of 35
    # or more is below 1e-3 even if every one of them reached its limit; seeded.
    rng = np.random.default_rng(2)
    wrong = sum(lower_bound(rng.integers(0, 2, (400, 3)), rng.integers(0, 2, (400, 3)), 0.9) > 0 for _ in range(200))
    assert wrong < 35


def test_same_seed_same_finding() -> None:
    assert audit_mechanism(gl.RR(1.0), samples=1000, seed=4) == audit_mechanism(gl.RR(1.0), samples=1000, seed=4)
