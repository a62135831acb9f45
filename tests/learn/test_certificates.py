from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import graphldp as gl
from graphldp.learn.certificates import certificates
from graphldp.neighbour_lists import NeighbourLists


class _Promising:
    def withstands(self, X: NeighbourLists, *, liars: int = 1) -> NDArray[np.bool_]:
        return self.withstood(X) >= liars

    def withstood(self, X: NeighbourLists) -> NDArray[np.int64]:
        return X.sizes // 10


def test_only_who_promises_is_asked() -> None:
    threads = gl.synthetic.threads(4, seed=0)
    assert certificates(_Promising(), threads) == [int(n) // 10 for n in threads.sizes]
    assert certificates(gl.GINClassifier(), threads) == [None] * 4


def test_nothing_is_promised_of_what_a_filter_left() -> None:
    reports = gl.NoisyDegrees(1.0).randomize(gl.synthetic.threads(4, seed=0), rng=0)
    assert certificates(_Promising(), reports) != [None] * 4
    assert certificates(_Promising(), replace(reports, filtered=True)) == [None] * 4
