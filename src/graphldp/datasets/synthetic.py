"""Embedded generators: graphs for a first look, a demo or a benchmark, with nothing to download."""

from __future__ import annotations

import numpy as np

from graphldp.errors import bad_parameter
from graphldp.graphs import GraphSet

_SMALLEST, _LARGEST = 10, 1000  # users in a thread


def threads(num_graphs: int = 300, seed: int = 0) -> GraphSet:
    r"""Draw discussion threads of two kinds, sparse and heavy-tailed like Reddit's.

    Users are numbered by arrival. User v talks to one earlier user: to one of the thread's h hubs with probability s,
    else to any earlier user, uniformly; and about 0.16 n further pairs talk as well, so the mean degree is about 2.3.
    What differs between the kinds, and overlaps:

    - label 0, hub and spoke (questions and answers): :math:`s \sim \mathrm{Beta}(6, 3)`, h from 1 to 3;
    - label 1, reply tree (discussion): :math:`s \sim \mathrm{Beta}(2, 7)`, h = 1, who opened the thread.

    Sizes are log-normal, between 10 and 1,000 users, with a mean near 140; those of label 0 are somewhat larger, so n
    alone tells a little about the label, the degrees tell more, and nothing tells all.

    Args:
        num_graphs: how many threads; even numbers give as many of one kind as of the other.
        seed: a whole number; the same seed gives the same threads.

    Example::

        graphs = gl.synthetic.threads(num_graphs=300, seed=0)
        graphs.labels  # 0, 1, 0, 1, …
    """
    _check_count(num_graphs, "num_graphs", "synthetic.threads")
    rng = np.random.default_rng(_check_count(seed, "seed", "synthetic.threads", least=0))
    labels = np.arange(num_graphs) % 2
    tree = labels == 1
    sizes = np.exp(rng.normal(np.where(tree, 4.3, 4.85), 0.85)).round().clip(_SMALLEST, _LARGEST).astype(np.int64)
    share = rng.beta(np.where(tree, 2.0, 6.0), np.where(tree, 7.0, 3.0))
    hubs = np.where(tree, 1, rng.integers(1, 4, num_graphs))
    chatter = rng.uniform(0.06, 0.26, num_graphs)

    graph = np.repeat(np.arange(num_graphs), sizes)
    start = np.repeat(np.cumsum(sizes) - sizes, sizes)
    user = np.arange(len(graph))
    local = user - start
    known = np.minimum(local, hubs[graph])
    to_hub = rng.random(len(user)) < share[graph]
    # squaring makes the first hub the busiest
    partner = np.where(
        to_hub, (rng.random(len(user)) ** 2 * known).astype(np.int64), (rng.random(len(user)) * local).astype(np.int64)
    )
    replies = local > 0
    more = replies & (rng.random(len(user)) < chatter[graph])
    another = (rng.random(len(user)) * local).astype(np.int64)
    source = np.concatenate((user[replies], user[more]))
    target = np.concatenate(((start + partner)[replies], (start + another)[more]))
    return GraphSet.from_edges(source, target, sizes, labels, name="threads")


def barabasi_albert(n: int, m: int, num_graphs: int = 1, seed: int = 0) -> GraphSet:
    """Draw graphs of Barabási and Albert's model, in time and memory linear in the edges.

    As in NetworkX: a star of m + 1 nodes is there first; then each new node joins m different earlier ones, drawn one
    after the other with probability proportional to their degrees. A graph has m(n − m) edges, and for n ≫ m the mean
    degree is 2m.

    Args:
        n: nodes in each graph.
        m: edges that each new node brings, from 1 to n − 1.
        num_graphs: how many graphs.
        seed: a whole number; the same seed gives the same graphs, and more graphs begin with the same ones.

    Example::

        graphs = gl.synthetic.barabasi_albert(n=4000, m=5, num_graphs=10, seed=0)
    """
    owner = "synthetic.barabasi_albert"
    _check_count(n, "n", owner, least=2)
    _check_count(m, "m", owner)
    _check_count(num_graphs, "num_graphs", owner)
    _check_count(seed, "seed", owner, least=0)
    if m >= n:
        raise bad_parameter("m", owner, f"below n = {n}", m)
    from graphldp.datasets import growth  # compiled: numba loads here

    streams = np.random.SeedSequence(seed).generate_state(num_graphs, np.uint64).astype(np.uint64)
    indptr, indices = growth.grow(n, m, streams)
    return GraphSet(indptr, indices, np.arange(num_graphs + 1) * n, name=f"barabasi-albert-{n}-{m}")


def _check_count(value: int, name: str, owner: str, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise bad_parameter(name, owner, f"a whole number ≥ {least}", value)
    return int(value)
