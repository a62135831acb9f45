"""Random sets of graphs, odd ones among them, and mechanisms to run over them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import graphldp as gl


@st.composite
def graph_sets(draw: st.DrawFn) -> gl.GraphSet:
    """Up to five graphs of up to forty users, from empty to complete, with ids of their own."""
    sizes = draw(st.lists(st.integers(0, 40), min_size=0, max_size=5))
    directed = draw(st.booleans())
    density = draw(st.sampled_from([0.0, 0.05, 0.3, 1.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    source, target = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for first, size in zip(start[:-1], sizes, strict=True):
        one, two = np.nonzero((rng.random((size, size)) < density) & ~np.eye(size, dtype=bool))
        source.append(one + first)
        target.append(two + first)
    made = gl.GraphSet.from_edges(np.concatenate(source), np.concatenate(target), sizes, directed=directed)
    return made.subset(rng.permutation(len(sizes)))


def mechanisms() -> st.SearchStrategy[gl.Mechanism]:
    """Every law, at ordinary and at extreme rates."""
    epsilon = st.sampled_from([0.01, 0.5, 1.0, 3.0, 40.0, 800.0])
    return st.one_of(
        st.builds(
            lambda e, noise, estimator: gl.DPRR(e, allocation="fixed", noise=noise, estimator=estimator),
            epsilon,
            st.sampled_from(NOISES),
            st.sampled_from(ESTIMATORS),
        ),
        st.builds(gl.RR, epsilon),
        st.builds(lambda e, s: gl.ARR(e, sampling=s), epsilon, st.sampled_from([1e-300, 0.01, 0.9, 1.0])),
        st.builds(lambda e, noise: gl.NoisyDegrees(e, noise=noise), epsilon, st.sampled_from(NOISES)),
        st.builds(
            lambda e, times, noise: gl.HubLists(e, times=times, least=0.0, noise=noise),
            epsilon,
            st.sampled_from([0.0, 2.0]),
            st.sampled_from(NOISES),
        ),
    )


NOISES = ["laplace", "discrete"]
ESTIMATORS = ["clip", "unbiased", "bayes"]
