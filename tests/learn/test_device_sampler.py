from __future__ import annotations

import numpy as np
import pytest

import graphldp as gl
from graphldp.learn import device_sampler
from graphldp.mechanisms import reference
from graphldp.mechanisms.rows import Rows
from graphldp.mechanisms.streams import Stream, key_from

KEY = key_from(5, "test")


def rows() -> Rows:
    graphs = gl.synthetic.threads(num_graphs=8, seed=1)
    lonely = gl.GraphSet.from_edges([], [], [1, 0, 4])
    both = [Rows.of(graphs), Rows.of(lonely)]
    return Rows(
        np.concatenate((both[0].indptr, both[0].indptr[-1] + both[1].indptr[1:])),
        np.concatenate([each.indices for each in both]),
        *(np.concatenate([getattr(each, name) for each in both]) for name in ("user", "n", "graph")),
    )


def test_words_are_the_streams_words() -> None:
    for stream in (Stream.DEGREE, Stream.PUBLIC):
        np.testing.assert_array_equal(
            device_sampler.first_words(rows(), stream, KEY), reference.first_words(rows(), stream, KEY)
        )


@pytest.mark.parametrize("at_once", [1 << 25, 3000])
@pytest.mark.parametrize("law", ["mixed", "sparse", "all", "nothing"])
def test_the_same_lists_as_the_reference(law: str, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_sampler, "_WORDS_AT_ONCE", at_once)
    some = rows()
    draw = np.random.default_rng(0).random((2, len(some)))
    keep, fake = {
        "mixed": (draw[0], draw[1] * 0.3),
        "sparse": (draw[0], draw[1] ** 8 * 0.01),
        "all": (np.zeros(len(some)), np.ones(len(some))),
        "nothing": (np.zeros(len(some)), np.zeros(len(some))),
    }[law]
    for found, wanted in zip(
        device_sampler.sample_lists(some, keep, fake, KEY), reference.sample_lists(some, keep, fake, KEY), strict=True
    ):
        np.testing.assert_array_equal(found, wanted)
        assert found.dtype == wanted.dtype
