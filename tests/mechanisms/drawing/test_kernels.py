"""The compiled loops and plain NumPy draw the same bits, on any number of threads and for any part of the users."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.values import some

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.machines.threads import runs_of
from graphldp.mechanisms.drawing import backend, bits, kernels, reference, words
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Stream, first_words, key_from, to_uniform

from ..strategies import graph_sets, mechanisms

SEEDS = st.integers(0, 2**32)


@contextmanager
def running(loops: ModuleType, **patches: object) -> Iterator[None]:
    """Draw with one of the two implementations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "loops", lambda work: loops)
        for name, value in patches.items():
            patch.setattr(loops, name, value)
        yield


def assert_same(one: gl.Reports, two: gl.Reports) -> None:
    np.testing.assert_array_equal(one.indptr, two.indptr)
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.noisy_degree, two.noisy_degree)


@settings(max_examples=100, deadline=None)
@given(graph_sets(), mechanisms(), SEEDS, st.sampled_from([0.0, 0.3]))
def test_the_same_bits(graphs: gl.GraphSet, mechanism: gl.Mechanism, seed: int, public: float) -> None:
    drawn = []
    for loops, patches in ((kernels, {"PER_NAME": 0}), (kernels, {"PER_NAME": 10**9}), (reference, {})):
        with running(loops, **patches):  # names at once, bits first, plain NumPy
            epsilon = gl.customized(graphs, epsilon=float(mechanism.epsilon), public_fraction=public, rng=seed)
            drawn.append(replace(mechanism, epsilon=epsilon).randomize(graphs, rng=seed))
    assert_same(drawn[0], drawn[2])
    assert_same(drawn[1], drawn[2])
    for each in drawn:
        each.changed(trusted=False)  # ours are trusted; here the lists are looked at


@settings(max_examples=60, deadline=None)
@given(graph_sets(), st.sampled_from([0.05, 1.0, 20.0]), SEEDS, st.sampled_from([0.0, 0.3]))
def test_the_same_pairs(graphs: gl.GraphSet, epsilon: float, seed: int, public: float) -> None:
    each = gl.customized(graphs, epsilon=epsilon, public_fraction=public, rng=seed)
    drawn = []
    for loops in (kernels, reference):
        with running(loops):
            drawn.append(gl.LocalLap(each).randomize(graphs, rng=seed))
    assert_same(*drawn)
    drawn[0].changed(trusted=False)


@settings(max_examples=60, deadline=None)
@given(graph_sets(), mechanisms(), SEEDS, st.data())
def test_any_part_of_the_users_can_be_drawn_apart(
    graphs: gl.GraphSet, mechanism: gl.RowMechanism, seed: int, data: st.DataObject
) -> None:
    whole = mechanism.randomize(graphs, rng=seed)
    count = graphs.num_users
    picked = np.array(data.draw(st.lists(st.integers(0, count - 1), unique=True)) if count else [], np.int64)
    every = UserRows.of(graphs)
    lists = [graphs.indices[graphs.indptr[u] : graphs.indptr[u + 1]] for u in picked]
    part = UserRows(
        np.concatenate(([0], np.cumsum([len(each) for each in lists]))).astype(np.int64),
        np.concatenate([*lists, np.zeros(0, np.int32)]),
        every.user[picked],
        every.n[picked],
        every.graph[picked],
    )
    budget = mechanism.budget(graphs.n_max).per_user(count).taken(picked)
    drawn = mechanism.draw_rows(part, budget, key_from(seed, "a test"))
    for row, user in enumerate(picked):
        sent = drawn.indices[drawn.indptr[row] : drawn.indptr[row + 1]]
        np.testing.assert_array_equal(sent, whole.indices[whole.indptr[user] : whole.indptr[user + 1]])
    if drawn.noisy_degree is not None:
        np.testing.assert_array_equal(drawn.noisy_degree, some(whole.noisy_degree)[picked])


@pytest.fixture(scope="module")
def sparse() -> gl.GraphSet:
    """Large enough to be cut into several runs."""
    return gl.synthetic.barabasi_albert(n=20_000, m=4, num_graphs=3, seed=1)


@pytest.fixture(scope="module")
def dense() -> UserRows:
    """Users of two graphs, who draw enough for tables of skips; each of them knows a tenth of the others."""
    rng = np.random.default_rng(5)
    (a, b), (c, d) = (np.triu(rng.random((n, n)) < 0.1, 1).nonzero() for n in (400, 65))
    graphs = gl.GraphSet.from_edges(np.append(a, c + 400), np.append(b, d + 400), [400, 65])
    return replace(UserRows.of(graphs), graph_ptr=None)


RATES = {
    "one rate": [0.27],
    "nearly all": [0.999],
    "all": [1.0],
    "two rates by turns": [0.27, 0.1],
    "public users among others": [0.27, 0.27, 0.0],
    "a rate of each user's own": np.linspace(0.2, 0.4, 465).tolist(),
    "as sparse as it gets": [1 / 31],
}


@pytest.mark.parametrize("name", RATES)
def test_dense_lists_are_the_same_bits(dense: UserRows, name: str) -> None:
    fake = np.resize(RATES[name], len(dense))
    keep = np.where(fake > 0, 1 - fake, 1.0)
    drawn = [loops.sample_lists(dense, keep, fake, key_from(9, "a test")) for loops in (kernels, reference)]
    for ours, plain in zip(*drawn, strict=True):
        np.testing.assert_array_equal(ours, plain)


def test_long_lists_outgrow_their_batch() -> None:
    """More neighbours and strangers are reported than words are drawn at a time, and many neighbours stand together."""
    rng, n = np.random.default_rng(3), 80_000
    friends = np.unique(np.concatenate((np.arange(50, 1500), rng.integers(0, n, 1500)))).astype(np.int32)
    few = friends[friends > 2][::100]
    lists = [friends, np.zeros(0, np.int32), few]
    rows = UserRows(
        np.cumsum([0, *map(len, lists)]), np.concatenate(lists), np.arange(3), np.full(3, n), np.zeros(3, np.int64)
    )
    keep, fake, key = np.array([0.6, 0.0, 1.0]), np.array([0.01, 0.02, 1e-4]), key_from(4, "a test")
    drawn = [loops.sample_lists(rows, keep, fake, key) for loops in (kernels, reference)]
    assert (np.diff(drawn[1][0])[:2] > 1400).all()
    for ours, plain in zip(*drawn, strict=True):
        np.testing.assert_array_equal(ours, plain)


def test_skips_are_those_of_the_logarithm() -> None:
    """Wherever the polynomial says how long a skip is; it leaves words near a border to the logarithm."""
    rng = np.random.default_rng(8)
    ends = np.array([0, 1, 2**12 - 1, 2**12, 2**64 - 1, 2**64 - 2**12], np.uint64)
    halves = np.uint64(1) << np.arange(12, 64, dtype=np.uint64)  # where U is just above 1/2, 1/4, …
    word = np.concatenate((ends, halves, halves - np.uint64(1), rng.integers(0, 2**64, 50_000, dtype=np.uint64)))
    with np.errstate(over="ignore"):
        for probability in (1e-320, 1e-9, 1e-3, 0.2499, 0.29, 0.5, 1 - 2**-40, 1.0):
            rate = np.full(len(word), 1 / np.log1p(-probability) if probability < 1 else 0.0)
            assert words.about_rate_of(probability) == pytest.approx(rate[0], rel=2e-12)
            skips = np.empty(len(word), np.int32)
            words.whole_skips(word, rate, skips, 0, len(word))
            exact = np.floor(np.minimum(np.log(to_uniform(word)) * rate, 2.0**31 - 1))
            told = skips >= 0
            np.testing.assert_array_equal(skips[told], exact[told])
            assert told[-50_000:].mean() > 0.8
    words.whole_skips(word, np.full(len(word), 1 / np.log(0.5)), skips, 0, len(word))
    assert (skips[len(ends) : len(ends) + len(halves)] < 0).any()


@pytest.mark.parametrize(("n", "fake"), [(2**27, 1e-7), (2**31 - 1, 1e-8)])
def test_skips_that_the_polynomial_cannot_tell(n: int, fake: float) -> None:
    """In a very large graph some skips are too near to a border; the logarithm tells them in the middle of a list."""
    users, key = 600, key_from(6, "a test")
    words_of_all = first_words(key, Stream.FAKES, np.zeros(users, np.uint64), np.arange(users, dtype=np.uint64), 12)
    skips = np.empty(words_of_all.size, np.int32)
    words.whole_skips(words_of_all.ravel(), np.full(len(skips), 1 / np.log1p(-fake)), skips, 0, len(skips))
    assert 0 < (skips < 0).sum() < len(skips) / 2
    friends = np.sort(np.random.default_rng(1).integers(users, n, (users, 3)), axis=1).astype(np.int32).ravel()
    rows = UserRows(np.arange(users + 1) * 3, friends, np.arange(users), np.full(users, n), np.zeros(users, np.int64))
    drawn = [loops.sample_lists(rows, np.full(users, 0.5), np.full(users, fake), key) for loops in (kernels, reference)]
    for ours, plain in zip(*drawn, strict=True):
        np.testing.assert_array_equal(ours, plain)


def test_a_table_of_skips_says_what_the_logarithm_says() -> None:
    """At both ends of every range, also where a skip just ends: 1/2, 1/4, … are borders of ranges for p = 1/2."""
    for probability in (0.5, 0.27, 0.9, 0.01):
        rate, table = 1 / np.log1p(-probability), np.empty(1 << 11, np.int32)
        bits.lengths_of_skips(rate, table)
        ends = np.arange(1, 1 << 11, dtype=np.uint64) << np.uint64(53)
        told = table[1:] >= 0
        assert table[0] == -1
        assert told.mean() > 0.3
        for word in (ends, ends + np.uint64(2**53 - 1)):
            exact = (np.log(to_uniform(word)) * rate).astype(np.int64)
            np.testing.assert_array_equal(table[1:][told], exact[told])


@pytest.mark.parametrize("cuts", [[0, 465], [0, 1, 230, 465]])
def test_threads_leave_no_trace_in_bits(dense: UserRows, cuts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    fake = np.full(len(dense), 0.3)
    monkeypatch.setattr(bits, "runs_of", lambda work: list(pairwise(cuts)))
    word_ptr, words, lengths = bits.sample_bits(dense, 1 - fake, fake, key_from(2, "a test"))
    told = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(-1, 64)
    rows = np.add.reduceat(told.sum(1, dtype=np.int64), word_ptr[:-1])
    np.testing.assert_array_equal(rows, lengths)
    indptr, names, _ = reference.sample_lists(dense, 1 - fake, fake, key_from(2, "a test"))
    place = 64 * np.repeat(word_ptr[:-1], lengths) + names
    np.testing.assert_array_equal(np.flatnonzero(told), place)
    np.testing.assert_array_equal(np.diff(indptr), lengths)


@pytest.mark.parametrize("mechanism", [gl.DPRR(1.0), gl.LocalLap(3.0)])
def test_threads_leave_no_trace(mechanism: gl.Mechanism, sparse: gl.GraphSet, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("GRAPHLDP_THREADS", threads)
        with running(kernels):
            drawn.append(mechanism.randomize(sparse, rng=2))
    assert len(runs_of(np.full(10**7, 1.0))) > 5
    assert_same(drawn[0], drawn[1])
    assert_same(drawn[0], drawn[2])


def test_lists_that_outgrow_their_room_are_drawn_again(sparse: gl.GraphSet) -> None:
    with running(kernels):
        roomy = gl.DPRR(1.0).randomize(sparse, rng=3)
    with running(kernels, _room_for=lambda mean: 7):
        tight = gl.DPRR(1.0).randomize(sparse, rng=3)
    assert_same(roomy, tight)


@pytest.mark.parametrize("threads", ["0", "-1", "two", ""])
def test_a_bad_number_of_threads(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHLDP_THREADS", threads)
    with running(kernels), pytest.raises(ParameterError, match="GRAPHLDP_THREADS"):
        gl.RR(1.0).randomize(gl.GraphSet.from_edges([0], [1], [2]), rng=0)


@pytest.mark.parametrize("loops", [kernels, reference])
def test_words_are_numpys_philox(loops: ModuleType) -> None:
    graphs = gl.GraphSet.from_edges([], [], [3, 1, 2]).subset([2, 0, 1])
    rows, key = UserRows.of(graphs), key_from(11, "a test")
    for stream in Stream:
        words = loops.first_words(rows, stream, key)
        for row, (user, graph) in enumerate(zip(rows.user, rows.graph, strict=True)):
            oracle = np.random.Philox(key=key, counter=[0, user, graph, stream])
            assert words[row].tolist() == oracle.random_raw(2).tolist()


@pytest.mark.parametrize("count", [1, 4, 6])
def test_the_first_words_of_a_user_are_numpys_philox(count: int) -> None:
    key, users = key_from(11, "a test"), np.array([0, 3], np.uint64)
    words = first_words(key, Stream.CHOICE, users + np.uint64(5), users, count)
    for row, user in zip(words, users, strict=True):
        oracle = np.random.Philox(key=key, counter=[0, user, user + np.uint64(5), Stream.CHOICE])
        assert row.tolist() == np.atleast_1d(oracle.random_raw(count)).tolist()


def test_numpy_takes_over_without_numba() -> None:
    """A process in which numba cannot be imported draws the same bits."""
    program = (
        "import sys; {hide}\n"
        "import graphldp as gl\n"
        "from graphldp.mechanisms.drawing import backend\n"
        "backend.compile_loops()\n"
        "graphs = gl.GraphSet.from_edges([0, 0, 1], [1, 2, 2], [9])\n"
        "reports = gl.DPRR(1.0, allocation='fixed').randomize(graphs, rng=5)\n"
        "print(backend.loops(0).__name__.rsplit('.')[-1], reports.indices.tolist(), reports.noisy_degree.tolist())"
    )
    with_numba, without = (
        subprocess.run(
            [sys.executable, "-c", program.format(hide=hide)], capture_output=True, text=True, check=True
        ).stdout.split(maxsplit=1)
        for hide in ("", "sys.modules['numba'] = None")
    )
    assert (with_numba[0], without[0]) == ("kernels", "reference")
    assert with_numba[1] == without[1]


def test_a_process_compiles_once_it_has_drawn_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "_drawn", 0.0)
    graphs = gl.synthetic.barabasi_albert(n=50, m=2, num_graphs=1, seed=0)
    monkeypatch.setattr(backend, "WORTH", 3e4)
    assert backend.loops(2e4) is reference
    gl.RR(1.0).randomize(graphs, rng=0)
    assert backend.loops(0) is reference
    assert backend.loops(1e4) is kernels
    assert backend.loops(0) is kernels


def test_one_large_draw_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "_drawn", 0.0)
    assert backend.loops(backend.LARGE) is reference
    assert backend.loops(backend.LARGE + 1) is kernels
