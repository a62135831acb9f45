"""LocalLap's fast path against the dense definition, its ε for n ≤ 4, and its bad input; and LapGraph."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp, log

import numpy as np
import pytest
from mpmath import iv
from numpy.typing import NDArray
from scipy import stats
from tests.values import wrong

import graphldp as gl
from graphldp.errors import ParameterError

from .counting import assert_counts, copies, matrices
from .exact import E1, E2, MORE2
from .exact_top import enclose, top_law, worst_top_ratio

ALARM = 1e-6  # false alarms of each test
COPIES = 50_000
S = Fraction(1, 8)  # e^(−ε₂)
EPSILON = -log(float(S)) / 0.9


def hidden_pairs(n: int, public: list[int], *, directed: bool) -> NDArray[np.int64]:
    private = [i for i in range(n) if i not in public]
    if directed:
        return np.array([(i, j) for i in private for j in range(n) if i != j])
    return np.array([(i, j) for i in private for j in private if i < j])


CASES = {
    "undirected": (gl.GraphSet.from_edges([0, 0, 2], [1, 2, 3], [4]), []),
    "directed": (gl.GraphSet.from_edges([0, 0, 2], [1, 2, 1], [3], directed=True), []),
    "undirected, one public": (gl.GraphSet.from_edges([0, 1, 2, 2], [1, 2, 3, 4], [5]), [2]),
    "directed, two public": (gl.GraphSet.from_edges([0, 3, 2, 1], [1, 0, 3, 2], [4], directed=True), [1, 2]),
}


@pytest.mark.parametrize("name", CASES)
def test_the_fast_path_has_the_exact_law(name: str) -> None:
    """Given T, which comes from the released d*, every set of T pairs has its exact probability."""
    graph, public = CASES[name]
    n, pairs = graph.n_max, hidden_pairs(graph.n_max, public, directed=graph.directed)
    epsilon = np.where(np.isin(np.arange(n), public), np.inf, EPSILON)
    reports = gl.LocalLap(np.tile(epsilon, COPIES)).randomize(copies(graph, COPIES), rng=1)
    assert reports.noisy_degree is not None
    raw, drawn = matrices(graph)[0], matrices(reports)
    claimed = reports.noisy_degree.reshape(COPIES, n)[:, ~np.isin(np.arange(n), public)].sum(axis=1)
    wanted = np.clip(np.floor(claimed if graph.directed else claimed / 2), 0, len(pairs))
    chosen = drawn[:, pairs[:, 0], pairs[:, 1]]
    np.testing.assert_array_equal(chosen.sum(axis=1), wanted)  # T exactly, clipped at both ends
    assert {0, len(pairs)} <= set(wanted.tolist())
    shown = np.ones((n, n), np.bool_)
    shown[pairs[:, 0], pairs[:, 1]] = False
    if not graph.directed:
        np.testing.assert_array_equal(drawn, drawn.transpose(0, 2, 1))
        shown &= shown.T
    assert (drawn[:, shown] == raw[shown]).all()  # what touches a public user is exact

    edge = raw[pairs[:, 0], pairs[:, 1]]
    sets = np.array(list(product((False, True), repeat=len(pairs))))
    code = chosen @ (1 << np.arange(len(pairs))[::-1])
    for size in range(1, len(pairs)):
        of_size = sets.sum(axis=1) == size
        law = np.array([chance(members, edge) for members in sets[of_size]])
        counts = np.bincount(code[wanted == size], minlength=len(sets))
        assert law.sum() == pytest.approx(1)
        assert_counts(counts[of_size], law, ALARM / len(pairs))


def chance(members: NDArray[np.bool_], edge: NDArray[np.bool_]) -> float:
    kinds = [(members & edge).sum(), (members & ~edge).sum(), (~members & edge).sum(), (~members & ~edge).sum()]
    return float(enclose(top_law(*map(int, kinds), S), S).mid)


def dense_local_lap(raw: NDArray[np.bool_], epsilon: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """The definition: noise on every pair of an undirected graph, and the T largest."""
    n = len(raw)
    d_star = raw.sum(axis=1) + rng.laplace(scale=10 / epsilon, size=n)
    one, two = np.triu_indices(n, 1)
    value = raw[one, two] + rng.laplace(scale=10 / 9 / epsilon, size=len(one))
    wanted = int(np.clip(np.floor(d_star.sum() / 2), 0, len(one)))
    top = np.argsort(-value)[:wanted]
    made = np.zeros((n, n), np.bool_)
    made[one[top], two[top]] = made[two[top], one[top]] = True
    return made


def test_against_the_dense_definition_at_40_users() -> None:
    """Edges kept, strangers added and the largest degree have one law: two-sample tests; strangers are uniform."""
    rng, count = np.random.default_rng(2), 600
    graph = gl.synthetic.barabasi_albert(n=40, m=2, num_graphs=1, seed=3)
    raw = matrices(graph)[0]
    fast = matrices(gl.LocalLap(3.0).randomize(copies(graph, count), rng=4))
    dense = np.array([dense_local_lap(raw, 3.0, rng) for _ in range(count)])
    seen = [((m & raw).sum(axis=(1, 2)), (m & ~raw).sum(axis=(1, 2)), m.sum(axis=2).max(axis=1)) for m in (fast, dense)]
    for ours, theirs in zip(*seen, strict=True):
        assert stats.ks_2samp(ours, theirs).pvalue > ALARM / 4
    added = fast.sum(axis=0)[np.triu(~raw, 1)]
    # sampling without replacement spreads counts less than chi-square expects, so this errs on the silent side
    assert stats.chisquare(added).pvalue > ALARM / 4


@pytest.mark.parametrize("directed", [False, True])
def test_odd_graphs(directed: bool) -> None:
    """No users, one user, all public, T beyond what there is."""
    sizes = [0, 1, 2, 3]
    graphs = gl.GraphSet.from_edges([1, 3], [2, 4], sizes, directed=directed)
    for seed in range(50):
        reports = gl.LocalLap(0.01).randomize(graphs, rng=seed)
        assert (reports.degrees <= np.repeat(sizes, sizes) - 1).all()
    everybody = gl.LocalLap(np.full(6, np.inf)).randomize(graphs, rng=0)
    np.testing.assert_array_equal(everybody.indices, graphs.indices)


def test_several_epsilons_are_refused() -> None:
    with pytest.raises(ParameterError, match="the same number for every private user"):
        gl.LocalLap(np.array([1.0, 2.0, np.inf]))


def test_the_split_is_the_papers() -> None:
    budget = gl.LocalLap(1.0).budget()
    assert budget.degree == pytest.approx(0.1)
    assert budget.edges == pytest.approx(0.9)


@pytest.mark.parametrize(("edges", "others"), [(0, 3), (2, 1), (3, 3), (5, 7)])
def test_the_law_adds_up(edges: int, others: int) -> None:
    for wanted in range(edges + others + 1):
        total, logs = Fraction(0), Fraction(0)
        for ins in range(max(0, wanted - others), min(edges, wanted) + 1):
            ways = comb(edges, ins) * comb(others, wanted - ins)
            whole, log = top_law(ins, wanted - ins, edges - ins, others - wanted + ins, 1 / E2)
            total, logs = total + ways * whole, logs + ways * log
        assert (total, logs) == (Fraction(1), Fraction(0))


def test_two_pairs_have_the_textbook_law() -> None:
    """Pr(Lap + ε > Lap') = 1 − (1/2 + ε/4)·e^(−ε)."""
    assert top_law(1, 0, 0, 1, 1 / E2) == (1 - 1 / (2 * E2), -1 / (4 * E2))


@pytest.mark.parametrize("pairs", [1, 2, 3, 6, 12])
def test_the_choice_keeps_epsilon_for_every_t(pairs: int) -> None:
    worst = worst_top_ratio(pairs, 1 / E2)
    assert worst.b <= iv.mpf(E2.numerator).a / E2.denominator


def test_the_bound_is_nearly_attained_and_a_mutant_is_caught() -> None:
    """Twelve pairs, eleven of them edges, T = 1: all that matters happens in the tail, where the ratio is e^ε₂."""
    claimed = iv.mpf(E2.numerator) / E2.denominator
    assert worst_top_ratio(12, 1 / E2).a > 0.999 * claimed
    assert worst_top_ratio(12, 1 / MORE2).a > claimed


def test_degrees_and_entries_add_up() -> None:
    """One list's bit moves d by one (E₁) and one pair (E₂). An undirected edge moves two degrees but only one pair."""
    bound = (iv.mpf(E1.numerator) / E1.denominator) * worst_top_ratio(6, 1 / E2)
    assert bound.b <= (E1 * E2).numerator / iv.mpf((E1 * E2).denominator)
    graphs = gl.GraphSet.from_edges([0, 1], [1, 2], [4])
    guarantee = gl.LocalLap(1.0).randomize(graphs, rng=0).guarantee
    spent = np.asarray(guarantee.budget.degree)[0], np.asarray(guarantee.budget.edges)[0]
    assert guarantee.relationship_dp is not None
    assert 2 * spent[0] + spent[1] <= guarantee.relationship_dp == 2.0


PATH = gl.GraphSet.from_edges([0, 1, 2], [1, 2, 3], [4])
WITHOUT = gl.GraphSet.from_edges([0, 1], [1, 2], [4])
CENTRAL_COPIES = 40_000


def counts(graphs: gl.GraphSet, central: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How often each set of pairs is released; a set is a number, bit by bit."""
    reports = gl.LapGraph(central=central).randomize(copies(graphs, CENTRAL_COPIES), rng=3)
    bit = np.zeros((4, 4), np.int64)
    bit[np.triu_indices(4, 1)] = 1 << np.arange(6)
    codes = np.repeat(np.arange(reports.num_users) % 4, reports.degrees)
    value = bit[codes, reports.indices]
    return np.bincount(
        np.bincount(np.repeat(reports.graph_of_user, reports.degrees), value, CENTRAL_COPIES).astype(np.int64),
        minlength=64,
    )


def test_the_number_of_edges_is_the_true_one_plus_one_laplace_draw() -> None:
    """T = ⌊m + Lap(10/ε)⌋, cut to 0 … 6: the exact law against a chi-squared test."""
    central = 4.0
    found = counts(PATH, central)
    edges = np.array([bin(code).count("1") for code in range(64)])
    observed = np.bincount(edges, found, 7)
    below = stats.laplace(scale=10 / central).cdf(np.arange(-2, 4))  # m + Lap < 1, 2, … 6
    law = np.diff(np.concatenate(([0.0], below, [1.0])))
    assert stats.chisquare(observed, law * CENTRAL_COPIES).pvalue > ALARM


@pytest.mark.parametrize("central", [1.0, 3.0])
def test_one_edge_changes_what_is_released_by_at_most_epsilon(central: float) -> None:
    """Each of the 64 graphs that may come out, with and without an edge: no ratio is beyond e^ε by six deviations."""
    one, two = counts(PATH, central), counts(WITHOUT, central)
    for a, b in ((one, two), (two, one)):
        excess = a - exp(central) * b
        deviation = np.sqrt(a + exp(2 * central) * b + 1)
        assert (excess <= 6 * deviation).all()
    seen = (one > 200) & (two > 200)
    assert np.abs(np.log(one[seen] / two[seen])).max() > 0.3 * central  # and the edge does show


def test_users_are_promised_nothing_and_the_reports_say_so() -> None:
    reports = gl.LapGraph(central=1.0).randomize(PATH, rng=0)
    assert reports.guarantee.edge_ldp == np.inf
    assert reports.guarantee.public_users == 4
    assert "Not promised" in str(reports.guarantee)
    assert reports.origin.parameters == {"central": 1.0}


def test_lists_are_symmetric_and_hubs_survive_where_the_local_version_loses_them() -> None:
    star = gl.GraphSet.from_edges(np.zeros(199, np.int64), np.arange(1, 200), [200])
    reports = gl.LapGraph(central=8.0).randomize(star, rng=1)
    owner = np.repeat(np.arange(200), reports.degrees)
    pairs = set(zip(owner.tolist(), reports.indices.tolist(), strict=True))
    assert pairs == {(j, i) for i, j in pairs}
    assert abs(reports.num_entries / 2 - 199) < 10 * log(1 / ALARM) / 8
    assert reports.degrees[0] > 150


def test_directed_and_empty_graphs() -> None:
    graphs = gl.GraphSet.from_edges([0, 0, 4], [1, 2, 5], [3, 0, 1, 2], directed=True)  # the third has one user
    true, seen = {(0, 1), (0, 2), (4, 1)}, set()
    for seed in range(20):
        reports = gl.LapGraph(central=1000.0).randomize(graphs, rng=seed)
        owner = np.repeat(np.arange(6), reports.degrees)
        seen |= set(zip(owner.tolist(), reports.indices.tolist(), strict=True))
        assert set(reports.degrees.tolist()) <= {0, 1, 2}  # ⌊m + noise⌋ is m or m − 1
    assert seen == true


@pytest.mark.parametrize("central", [0.0, -1.0, float("nan"), float("inf"), "much", None, [1.0, 2.0]])
def test_bad_input(central: object) -> None:
    with pytest.raises(ParameterError, match="'central' parameter of LapGraph must be a positive number"):
        gl.LapGraph(central=wrong(central))
