"""Drawn graphs beside LDPGen's, on the same graphs at the same ε: python -m benchmarks.synthesis FOLDER NAME.

LDPGen (Qin et al., CCS 2017) is written here from the paper's idea. Users are dealt into groups at random and tell how
many friends they have in each, with noise; the server groups those with similar vectors by k-means. With one round the
friendships are drawn from these vectors at all of ε; with two rounds, half of ε each, users count again by the server's
groups, and are grouped once more. A pair are friends with a chance in proportion to what each has in the other's
group (Chung and Lu). It knows nothing public of users, so ours is there without groups, too.

Every generator is drawn with SEEDS seeds. Four distances from the true graph, 0 where a graph is like it:

    degrees      the largest difference of the two distribution functions
    clustering   |difference| of the mean local clustering
    paths        half the sum of |differences| of the shares of pairs at each distance
    communities  1 − the adjusted mutual information of the two graphs' communities (Louvain)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from benchmarks.surveys import RESULTS, college
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_mutual_info_score

import graphldp as gl

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SEEDS, EPSILON = 10, 1.0
GROUPS = 4  # of LDPGen: of 2, 4, 8 and 16 the one whose four distances from Caltech36 sum to the least


def counts(graph: gl.GraphSet, group: Ints, groups: int, epsilon: float, seed: int) -> Floats:
    """Noisy friend counts by group."""
    drawn = gl.FriendCounts(epsilon).randomize(graph.with_groups(group, num_groups=groups), rng=seed)
    return np.asarray(drawn.friend_counts, np.float64)


def clustered(vectors: Floats, groups: int, seed: int) -> Ints:
    """Users with similar vectors."""
    return np.asarray(KMeans(groups, n_init=4, random_state=seed).fit_predict(vectors), np.int64)


def ldpgen(graph: gl.GraphSet, rounds: int, seed: int, groups: int = GROUPS) -> gl.GraphSet:
    """A graph of LDPGen's kind."""
    n, rng = graph.num_users, np.random.default_rng([39, seed])
    dealt = rng.permutation(np.arange(n) % groups)
    vectors = counts(graph, dealt, groups, EPSILON / rounds, seed)
    if rounds == 1:
        group = dealt
    else:
        group = clustered(vectors, groups, seed)
        vectors = counts(graph, group, groups, EPSILON / rounds, 1000 + seed)
        refined = clustered(vectors, groups, seed)
        moved = np.zeros((groups, groups))  # what each of the old groups has in the new ones, to carry vectors over
        np.add.at(moved, (group, refined), 1.0)
        vectors = vectors @ (moved / np.maximum(moved.sum(axis=1, keepdims=True), 1.0))
        group = refined
    told = np.maximum(vectors, 0.0)
    towards = told[:, group]  # [i, j]: what i has in j's group
    size = np.zeros((groups, groups))
    np.add.at(size, group, told)  # friends that each group has in each other
    total = np.maximum((size + size.T)[group][:, group] / 2, 1e-12)
    chance = np.minimum(towards * towards.T / total, 1.0)
    one, two = np.triu_indices(n, 1)
    some = rng.random(len(one)) < chance[one, two]
    return gl.GraphSet.from_edges(one[some], two[some], [n])


def ours(graph: gl.GraphSet, seed: int) -> gl.GraphSet:
    """From friend counts by dorm and lists, half of ε each."""
    surveys = [gl.FriendCounts(EPSILON / 2).randomize(graph, rng=seed), gl.RR(EPSILON / 2).randomize(graph, rng=seed)]
    return gl.synthesize(surveys, rng=seed)


def without_lists(graph: gl.GraphSet, seed: int) -> gl.GraphSet:
    """From friend counts by dorm alone: nothing is known of triangles."""
    return gl.synthesize(gl.FriendCounts(EPSILON).randomize(graph, rng=seed), rng=seed)


def without_groups(graph: gl.GraphSet, seed: int) -> gl.GraphSet:
    """From degrees and lists, half of ε each: nothing is public."""
    bare = gl.GraphSet(graph.indptr, graph.indices, graph.graph_ptr)
    degrees = gl.NoisyDegrees(EPSILON / 2, noise="discrete").randomize(bare, rng=seed)
    return gl.synthesize([degrees, gl.RR(EPSILON / 2).randomize(bare, rng=seed)], rng=seed)


GENERATORS: dict[str, Callable[[gl.GraphSet, int], gl.GraphSet]] = {
    "ours: counts by dorm, lists": ours,
    "ours: counts by dorm": without_lists,
    "ours: degrees, lists": without_groups,
    "LDPGen, one round": lambda graph, seed: ldpgen(graph, 1, seed),
    "LDPGen, two rounds": lambda graph, seed: ldpgen(graph, 2, seed),
}


class Look:
    """The numbers that a graph is compared by."""

    def __init__(self, graph: gl.GraphSet) -> None:
        self.degrees, n = graph.degrees, graph.num_users
        net = graph.to_networkx()[0]
        self.clustering = nx.average_clustering(net)
        self.transitivity = nx.transitivity(net)
        steps = shortest_path(graph.to_scipy()[0], unweighted=True)[np.triu_indices(n, 1)]
        self.steps = np.bincount(np.where(np.isinf(steps), 0, steps).astype(np.int64), minlength=n) / len(steps)
        found = nx.community.louvain_communities(net, seed=0)
        self.communities = np.zeros(n, np.int64)
        for number, members in enumerate(found):
            self.communities[list(members)] = number
        self.modularity = nx.community.modularity(net, found)

    def away(self, other: Look) -> dict[str, float]:
        """How far another graph is."""
        top = int(max(self.degrees.max(), other.degrees.max())) + 1
        laws = [np.bincount(each.degrees, minlength=top).cumsum() / len(each.degrees) for each in (self, other)]
        alike = adjusted_mutual_info_score(self.communities, other.communities)
        return {
            "degrees": float(np.abs(laws[0] - laws[1]).max()),
            "clustering": abs(self.clustering - other.clustering),
            "paths": float(np.abs(self.steps - other.steps).sum() / 2),
            "communities": 1 - float(alike),
            "transitivity": abs(self.transitivity - other.transitivity),
            "modularity": abs(self.modularity - other.modularity),
        }


def measure(graph: gl.GraphSet, name: str, seeds: int = SEEDS) -> Iterator[dict[str, Any]]:
    """All generators on one graph."""
    true = Look(graph)
    for generator, draw in GENERATORS.items():
        for seed in range(seeds):
            away = true.away(Look(draw(graph, seed)))
            yield {"graph": name, "epsilon": EPSILON, "generator": generator, "seed": seed} | away


def main(folder: str, name: str) -> None:
    """Measure, and keep what was found."""
    rows = [
        {key: float(f"{each:.6g}") if isinstance(each, float) else each for key, each in row.items()}
        for row in measure(college(Path(folder), name).graph, name)
    ]
    lines = ",\n".join(json.dumps(row) for row in rows)
    (RESULTS / f"synthesis-{name.lower()}.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
