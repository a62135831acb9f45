"""Whether a graph looks as if somebody had forged her degree.

No single claim can be checked: whoever has many friends says so, and so does a liar. But claims have to fit together.
In a thread nearly every friend of a hub has few others, so the degrees of all others say about how large the hub is;
one more hub than that is one too many, and a hub who says nothing is missed.

Trees learn the difference from the training graphs themselves: each as it is, and with lies made up for it (somebody
claims all of the graph, or a share of it down to 1/16, or as much as the busiest user; the busiest user, or the next,
claims little or something else). Each half of the graphs is judged by trees that learned from the other half, and the
line is drawn so that a small, known share of honest training graphs is doubted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from graphldp.learn.tables.levels import LEVELS, Flags, Floats, Levelled
from graphldp.learn.tables.tabular import Model

FALSE_ALARMS = 0.03  # the share of honest training graphs that is doubted

_COPIES = 8  # lies that are made up for each graph
_SMALLEST = 1 / 16
_RANKS = np.array([1, 2, 3, 4, 8])
_FEWEST = 40  # graphs below which nothing is learned, and nobody is doubted


@dataclass(frozen=True, eq=False)
class Doubts:
    """Trees of both halves, and the line.

    Args:
        judges: trained on either half; none where there were too few graphs.
        held_out: whether each training graph is doubted, by the trees of the other half.
        limit: the score above which a graph is doubted.
    """

    judges: tuple[Model, ...]
    held_out: Flags
    limit: float

    @classmethod
    def fit(cls, graphs: Levelled, seed: int) -> Self:
        """Learn from training graphs, taken to be honest for the most part."""
        rng = np.random.default_rng(seed)
        half = rng.permutation(len(graphs.n)) % 2 == 0
        if len(half) < _FEWEST:
            return cls((), np.zeros(len(half), np.bool_), np.inf)
        table, judges, scores = _table(graphs), [], np.zeros(len(half))
        for mine in (half, ~half):
            rows = graphs.subset(mine)
            lies = np.concatenate([_table(_with_liar(rows, rng)) for _ in range(_COPIES)])
            judge = _judge(seed).fit(
                np.concatenate((np.repeat(table[mine], _COPIES, axis=0), lies)),
                np.repeat((0, 1), len(lies)),
            )
            scores[~mine] = judge.predict_proba(table[~mine])[:, 1]
            judges.append(judge)
        limit = float(np.quantile(scores, 1 - FALSE_ALARMS, method="higher"))
        return cls(tuple(judges), scores > limit, limit)

    def doubted(self, graphs: Levelled) -> Flags:
        """Whether each graph looks forged."""
        if not self.judges or not len(graphs.n):
            return np.zeros(len(graphs.n), np.bool_)
        table = _table(graphs)
        score = sum(each.predict_proba(table)[:, 1] for each in self.judges) / len(self.judges)
        return np.asarray(score > self.limit)


def _judge(seed: int) -> Model:
    made: Model = HistGradientBoostingClassifier(
        random_state=seed,
        learning_rate=0.1,
        max_iter=100,
        max_leaf_nodes=16,
        min_samples_leaf=40,
        l2_regularization=1.0,
    )
    return made


def _table(graphs: Levelled) -> Floats:
    """Log n, the bounded sums, Σd/n and √Σd²/n with and without the largest, and the largest over n."""
    n = np.maximum(graphs.n, 1.0)
    d = np.minimum(LEVELS[: graphs.present.shape[1]], np.maximum(n - 1, 0.0)[:, None])
    first = (graphs.present * d).sum(axis=1)
    second = np.sqrt((graphs.present * d**2).sum(axis=1))
    ranked = np.take_along_axis(d, graphs.ranked(_RANKS), axis=1)
    columns = (np.log(n), first / n, second / n, (first - ranked[:, 0]) / n, (first - ranked[:, :2].sum(axis=1)) / n)
    return np.hstack((np.stack(columns, axis=1), ranked / n[:, None], graphs.sums()))


def _with_liar(graphs: Levelled, rng: np.random.Generator) -> Levelled:
    """The graphs with a lie in each."""
    count, row = len(graphs.n), np.arange(len(graphs.n))
    who, top = rng.random(count), graphs.ranked(np.array([1, 2]))
    drawn = rng.random(count) * graphs.reported
    anybody = np.minimum((np.cumsum(graphs.present, axis=1) <= drawn[:, None]).sum(axis=1), graphs.present.shape[1] - 1)
    source = np.where(who < 0.5, anybody, np.where(who < 0.85, top[:, 0], top[:, 1]))
    share = np.maximum(graphs.n - 1, 0.0) * _SMALLEST ** np.maximum(rng.random(count) * 1.25 - 0.25, 0.0)
    little = rng.integers(0, 4, count)
    claim = np.where((who >= 0.5) & (rng.random(count) < 0.5), little, share)
    target = np.searchsorted(LEVELS, np.minimum(claim, np.maximum(graphs.n - 1, 0.0)), side="right") - 1
    target = np.where((who < 0.5) & (rng.random(count) < 0.2), top[:, 0], target)
    present = graphs.present.copy()
    present[row, source] -= 1
    present[row, np.minimum(target, present.shape[1] - 1)] += 1
    return Levelled(graphs.n, np.maximum(present, 0.0), graphs.private)
