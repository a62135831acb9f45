"""Dense lists are packed as bits, and entries weighed; what kernels make of bits is tested where there is a GPU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.learn.samples import random_lists

import graphldp as gl
from graphldp.errors import DataError
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed import packing
from graphldp.learn.engine.packed.packing import LEVELS, posterior_levels
from graphldp.learn.engine.packed.store import Dense, join
from graphldp.learn.inference.posterior import LinkPosterior

SIZES = [70, 5, 130, 64, 1]  # below, at and above whole words


@pytest.mark.parametrize("at_once", [1, 1 << 25])
def test_a_dense_list_is_a_bit_for_each_pair(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_as_dense", lambda *_: True)  # where there is no GPU nothing reads bits
    monkeypatch.setattr(packing, "_ENTRIES_AT_ONCE", at_once)  # graphs are packed apart and joined, or all at once
    lists, device = random_lists(np.random.default_rng(3), SIZES, 0.5), torch.device("cpu")
    store = packing.build(lists, ModelSpec(2, layers=5), device, torch.float32)
    (bits,) = join([store, store], device).rounds[4].matrices
    assert isinstance(bits, Dense)
    assert bits.size.tolist() == SIZES * 2
    assert len(bits.words) == 2 * sum(n * -(-n // 64) for n in SIZES)
    for graph, begin in enumerate(bits.begin.tolist()):
        n, own = SIZES[graph % 5], lists[graph % 5]
        expected = np.eye(n, dtype=np.uint8)  # she herself, and her list
        expected[np.repeat(np.arange(n), own.degrees), own.indices] = 1
        rows = bits.words[begin : begin + n * -(-n // 64)].numpy().view(np.uint8).reshape(n, -1)
        told = np.unpackbits(rows, axis=1, bitorder="little")
        np.testing.assert_array_equal(told[:, :n], expected)
        assert not told[:, n:].any()


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("at_once", [1, 1 << 25])
def test_lists_that_are_bits_are_packed_as_their_names_are(
    dense: bool, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where bits are read a word at a time, and no name is made on the host."""
    monkeypatch.setattr(packing, "_as_dense", lambda *_: dense)
    monkeypatch.setattr(packing, "_ENTRIES_AT_ONCE", at_once)
    monkeypatch.setattr("graphldp.learn.engine.packed.dense._AT_ONCE", 1 if at_once == 1 else 1 << 20)
    monkeypatch.setattr("graphldp.mechanisms.drawing.backend.WORTH", -1)  # compiled loops draw bits, however little
    graphs = gl.synthetic.threads(num_graphs=6, seed=1)
    drawn = gl.RR(1.0).randomize(graphs, rng=5)
    spec, device = ModelSpec(2, layers=5), torch.device("cpu")
    store = packing.build(drawn, spec, device, torch.float32)
    assert drawn.bits is not None
    assert "indices" not in vars(drawn)
    plain = packing.build(replace(drawn, indices=drawn.indices), spec, device, torch.float32)
    assert store.dense is plain.dense is dense
    assert store.num_bytes == plain.num_bytes
    for ours, theirs in zip(store.rounds, plain.rounds, strict=True):
        assert torch.equal(ours.counts, theirs.counts)
        for one, two in zip(ours.matrices, theirs.matrices, strict=True):
            tensors = (each if isinstance(each, Dense) else (*each.there, *each.back) for each in (one, two))
            assert all(torch.equal(a, b) for a, b in zip(*tensors, strict=True))


def test_weights_are_the_posterior_to_the_next_power_of_two() -> None:
    graphs = gl.synthetic.threads(num_graphs=10, seed=0)
    reports = gl.DPRR(epsilon=2.0).randomize(graphs, rng=0)
    level, chance = posterior_levels(reports), LinkPosterior.of(reports).probability
    counts = level < LEVELS
    assert counts.any()
    assert not counts.all()
    ratio = chance[counts] * 2.0 ** level[counts]
    assert (np.abs(np.log2(ratio)) <= 0.5 + 1e-9).all()
    assert chance[~counts].max() <= 2.0 ** (0.5 - LEVELS) * (1 + 1e-9)


def test_what_is_public_is_certain() -> None:
    graphs = gl.synthetic.threads(num_graphs=10, seed=0)
    assert not posterior_levels(graphs).any()
    assert not posterior_levels(gl.NonPrivFull().randomize(graphs)).any()
    epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.5, rng=1)
    reports = gl.DPRR(epsilon=epsilon).randomize(graphs, rng=1)
    assert not posterior_levels(reports)[np.repeat(reports.public, reports.degrees)].any()


def test_reports_without_a_posterior_are_refused() -> None:
    reports = gl.RR(epsilon=1.0).randomize(gl.synthetic.threads(num_graphs=3, seed=0), rng=0)
    with pytest.raises(DataError, match="derived for reports drawn by DPRR or Blink"):
        posterior_levels(reports)
