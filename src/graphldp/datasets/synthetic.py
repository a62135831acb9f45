"""Embedded generators: graphs for a first look, a demo or a benchmark, with nothing to download."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from graphldp.datasets.distances import distances as distances
from graphldp.errors import bad_parameter, check_whole
from graphldp.graphs import GraphSet

_SMALLEST, _LARGEST = 10, 1000  # users in a thread
_WORDS, _WORD = 30, 0.04  # of each kind, and how often a user has one that is not of hers
_HOMOPHILY, _MEAN_DEGREE = 9.0, 6.0
PREFIX = "synthetic:"
"""How the names of embedded sets begin, wherever a dataset is named."""


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
    check_whole(num_graphs, "num_graphs", "synthetic.threads")
    rng = np.random.default_rng(check_whole(seed, "seed", "synthetic.threads", least=0))
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


def communities(users: int = 1200, kinds: int = 4, seed: int = 0) -> GraphSet:
    r"""Draw one graph of users who have words, a kind, and friends who are mostly of their own kind.

    It is a degree-corrected block model: pairs are friends in proportion to both users' sociability, which is
    log-normal, and nine times as often within a kind as across. The mean degree is about 6. Each user has each of 30
    words per kind with probability 0.04, and those of her own kind with 0.12, so words alone tell her kind in about
    seven cases of ten. Words and kinds are public, friendships are private.

    Args:
        users: how many.
        kinds: how many kinds, two or more; about as many users of each.
        seed: a whole number; the same seed gives the same graph.

    Example::

        graphs = gl.synthetic.communities(users=1200, seed=0)
        graphs.features, graphs.node_labels
    """
    owner = "synthetic.communities"
    check_whole(users, "users", owner, least=2)
    check_whole(kinds, "kinds", owner, least=2)
    rng = np.random.default_rng(check_whole(seed, "seed", owner, least=0))
    if kinds > users:
        raise bad_parameter("kinds", owner, f"at most as many as users, {users}", kinds)
    kind = rng.permutation(np.arange(users) % kinds)
    chance = np.full((kinds, kinds * _WORDS), _WORD)
    for each in range(kinds):
        chance[each, each * _WORDS : (each + 1) * _WORDS] = 3 * _WORD
    words = sparse.csr_array(rng.random((users, kinds * _WORDS)) < chance[kind], dtype=np.float32)
    sociable = np.exp(rng.normal(0.0, 0.6, users))
    become = 1 / kinds + (1 - 1 / kinds) / _HOMOPHILY  # the share of drawn pairs that become friends
    draws = round(users * _MEAN_DEGREE / 2 / become)
    one, two = (rng.choice(users, draws, p=sociable / sociable.sum()) for _ in range(2))
    friendly = rng.random(draws) < np.where(kind[one] == kind[two], 1.0, 1 / _HOMOPHILY)
    kept = friendly & (one != two)
    graph = GraphSet.from_edges(one[kept], two[kept], [users], name="communities")
    return graph.with_features(words, public=True).with_node_labels(kind, public=True)


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
    check_whole(n, "n", owner, least=2)
    check_whole(m, "m", owner)
    check_whole(num_graphs, "num_graphs", owner)
    check_whole(seed, "seed", owner, least=0)
    if m >= n:
        raise bad_parameter("m", owner, f"below n = {n}", m)
    from graphldp.datasets import growth  # compiled: numba loads here

    streams = np.random.SeedSequence(seed).generate_state(num_graphs, np.uint64).astype(np.uint64)
    indptr, indices = growth.grow(n, m, streams)
    return GraphSet(indptr, indices, np.arange(num_graphs + 1) * n, name=f"barabasi-albert-{n}-{m}")


def embedded(name: str) -> GraphSet:
    """The embedded set of a name: always the same graphs.

    Args:
        name: such as ``synthetic:threads``.
    """
    made: dict[str, Callable[[], GraphSet]] = {f"{PREFIX}{each.__name__}": each for each in (threads, communities)}
    if name not in made:
        raise bad_parameter("dataset", "graphldp", f"{' or '.join(made)}, where it is an embedded one", name)
    return made[name]()
