"""MultiBit: its exact law, estimates that are right on average, and what it draws."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from tests.values import some

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.mechanisms.attributes import multi_bit

from ..counting import assert_counts

ALARM = 1e-6
E = Fraction(3, 2)  # e^(ε/m): the whole costs E^m
SHARES = (Fraction(0), Fraction(1, 3), Fraction(1))
Row = tuple[Fraction, ...]


def law(row: Row, m: int) -> dict[tuple[int, ...], Fraction]:
    """Every message of one row with its probability: m of the numbers, one bit of each by the code's own chance."""
    flip, found = 1 / (E + 1), {}
    picks = list(combinations(range(len(row)), m))
    for pick, bits in product(picks, product((0, 1), repeat=m)):
        ones = [multi_bit.chance(row[place], flip) for place in pick]
        each = (one if bit else 1 - one for one, bit in zip(ones, bits, strict=True))
        told = dict(zip(pick, bits, strict=True))
        message = tuple(2 * told[place] - 1 if place in told else 0 for place in range(len(row)))
        found[message] = math.prod(each, start=Fraction(1, len(picks)))
    return found


@pytest.mark.parametrize(("d", "m"), [(1, 1), (2, 1), (2, 2), (3, 2)])
def test_a_whole_row_costs_epsilon_and_no_less(d: int, m: int) -> None:
    laws = [law(row, m) for row in product(SHARES, repeat=d)]
    assert all(sum(each.values()) == 1 for each in laws)
    assert max(one[sent] / two[sent] for one, two in product(laws, repeat=2) for sent in one) == E**m


@pytest.mark.parametrize(("d", "m"), [(1, 1), (2, 1), (3, 2)])
def test_the_estimate_is_right_on_average(d: int, m: int) -> None:
    low, high, flip = Fraction(-2), Fraction(5), 1 / (E + 1)
    for row in product(SHARES, repeat=d):
        for place in range(d):
            mean = sum(
                chance * multi_bit.estimate(sent[place], flip, Fraction(d, m), low, high)
                for sent, chance in law(row, m).items()
            )
            assert mean == low + row[place] * (high - low)


def people(rows: Any, users: int, **public: Any) -> gl.GraphSet:
    return gl.GraphSet.from_edges([], [], [users]).with_features(np.tile(rows, (users, 1)), **public)


def test_what_is_drawn_has_the_law() -> None:
    """Counts of all messages of 20,000 users with one row, by the exact law; seeded."""
    row = (Fraction(1, 4), Fraction(1), Fraction(0))
    mechanism = gl.MultiBit(2 * math.log(1.5), sampled=2)
    noisy = some(mechanism.randomize(people([float(x) for x in row], 20_000), rng=4).columns.features)
    sent = np.rint(np.sign(noisy - 0.5)).astype(int)
    wanted = law(row, 2)
    counts = np.array([(sent == message).all(axis=1).sum() for message in wanted])
    assert counts.sum() == 20_000
    assert_counts(counts, np.array([float(chance) for chance in wanted.values()]), ALARM)
    flip = 1 / (1.5 + 1)
    assert set(np.round(np.unique(noisy), 6)) == {
        round(float(multi_bit.estimate(each, flip, 1.5, 0.0, 1.0)), 6) for each in (-1, 0, 1)
    }


def test_ranges_are_public_and_numbers_beyond_them_count_as_their_ends() -> None:
    far, end = (
        some(gl.MultiBit(3.0, low=(0, -1), high=(10, 1)).randomize(people(row, 50), rng=0).columns.features)
        for row in ([1e9, -7.0], [10.0, -1.0])
    )
    assert np.array_equal(far, end)


def test_more_epsilon_tells_of_more_numbers() -> None:
    for epsilon, told in ((0.5, 1), (4.3, 1), (4.4, 2), (50.0, 3)):
        noisy = some(gl.MultiBit(epsilon).randomize(people([0.2, 0.4, 0.9], 40), rng=1).columns.features)
        assert ((noisy != 0.5).sum(axis=1) == told).all()


def test_users_draw_on_their_own_and_rows_may_be_sparse_or_drawn_in_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).random((60, 5))
    graphs = gl.GraphSet.from_edges([], [], [40, 20])
    whole = some(gl.MultiBit(1.0).randomize(graphs.with_features(rows), rng=3).columns.features)
    assert len(np.unique(whole, axis=0)) > 8
    monkeypatch.setattr(multi_bit, "_WORDS_AT_ONCE", 35)
    sent = gl.MultiBit(1.0).randomize(graphs.with_features(sparse.csr_array(rows)), rng=3)
    assert np.array_equal(some(sent.columns.features), whole)
    assert np.array_equal(some(sent.subset([1]).columns.features), whole[40:])


def test_private_columns_alone_go_through_it() -> None:
    graphs = people([0.1, 7.0, 0.3], 30, public=[False, True, False])
    reports = gl.MultiBit(np.array([np.inf, *[2.0] * 29])).randomize(graphs, rng=0)
    assert some(reports.columns.features).shape == (30, 2)
    assert some(reports.columns.features)[0].tolist() == [0.1, 0.3]
    assert reports.features.tolist() == [[7.0]] * 30
    assert reports.num_entries == 0
    assert reports.guarantee.columns.tolist() == [np.inf, *[2.0] * 29]
    assert (reports.guarantee.edge_ldp, reports.guarantee.column_ldp) == (0.0, np.inf)
    assert "Local DP of features: 29 users, ε = 2 each" in str(reports.guarantee)
    assert "1 users publish their features as they are" in str(reports.guarantee)


def test_noisy_columns_are_kept_in_a_file(tmp_path: Any) -> None:
    reports = gl.MultiBit(1.0).randomize(people([0.1, 0.9], 5), rng=0)
    reports.save(tmp_path / "reports.npz")
    again = gl.Reports.load(tmp_path / "reports.npz")
    assert np.array_equal(some(again.columns.features), some(reports.columns.features))
    assert again.guarantee.columns.tolist() == [1.0] * 5


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        (gl.GraphSet.from_edges([], [], [3]), r"needs features: graphs\.with_features"),
        (people([0.5], 3, public=True), "all of these are public"),
    ],
)
def test_without_private_features_there_is_nothing_to_hide(graphs: gl.GraphSet, message: str) -> None:
    with pytest.raises(DataError, match=message):
        gl.MultiBit(1.0).randomize(graphs, rng=0)


@pytest.mark.parametrize(
    "options",
    [
        {"low": 1.0},
        {"low": math.nan},
        {"high": "1"},
        {"low": (0.0, 0.0), "high": (1.0, 1.0, 1.0)},
        {"sampled": 0},
        {"sampled": 1.5},
    ],
    ids=str,
)
def test_ranges_that_are_none(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"'{'sampled' if 'sampled' in options else ''}"):
        gl.MultiBit(1.0, **options)


@pytest.mark.parametrize("options", [{"low": (0.0, 0.0, 0.0)}, {"sampled": 3}], ids=str)
def test_parameters_that_do_not_fit_the_columns(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="2 private columns"):
        gl.MultiBit(1.0, **options).randomize(people([0.5, 0.5], 3), rng=0)
