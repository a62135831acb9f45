"""What forged friend counts cost the labels of honest users, with and without the limits on what one user's counts say.

    python -m tools.liars.users Cora --root data --out docs/results/node-liars-cora.json

Splits of seeds 100 to 104; the limits were chosen on seeds 0 to 4. A user without a label changes no label but her own,
so all liars are training or validation users. They keep their labels, know everybody's, and claim 1,000 friends in
the group that does most harm, of several that are tried. Of each split the attack that costs most is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from tools.fill import DOCS, markdown
from tools.liars.study import asked, kept

import graphldp as gl
from graphldp.experiments.trials.users import split_users
from graphldp.learn.nodes import blocks
from graphldp.learn.nodes.feature_view import FeatureView

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SEEDS = range(100, 105)
RATIOS = (0.5, 0.25, 0.25)
SHARES = {"percent": 0.01, "tenth": 0.1}
CLAIMED = 1000.0
NO_LIMITS = {"_HEAVIEST": np.inf, "_SUREST": np.inf}


class Users:
    """The users of one split, with their honest reports.

    Args:
        graphs: one graph.
        view: what features say of its users.
        epsilon: of everybody's counts.
        seed: of the reports, and of who lies.
    """

    def __init__(self, graphs: gl.GraphSet, view: FeatureView, epsilon: float, seed: int) -> None:
        self.view, self.codes, self.seed = view, view.users.codes, seed
        self.counts = _counts(gl.FriendCounts(epsilon).randomize(graphs.with_groups(view.groups), rng=seed))
        self.epsilon = np.full(len(self.counts), epsilon)
        self.classes = len(view.users.classes)
        self.truth = np.unique(np.asarray(graphs.node_labels), return_inverse=True)[1]

    def labels(self, forged: Floats) -> Ints:
        """Everybody's label where these counts are sent; what NodeClassifier does, as the view never changes."""
        users = self.view.users
        model = blocks.BlockModel.fit(forged, self.epsilon, self.codes, users.train)
        told = {**self.view.predictions, "friend counts": model.log_likelihood(forged, self.epsilon)}
        return np.asarray(users.mixed(told)[1].argmax(axis=1))

    def claim(self, liars: Ints, groups: Ints | int) -> Floats:
        """The counts where some users claim friends in one group and none elsewhere."""
        forged = self.counts.copy()
        forged[liars] = 0.0
        forged[liars, groups] = CLAIMED
        return forged

    def one(self) -> Iterator[Floats]:
        """A single liar: the busiest training or validation user of each class, who names the next or the commonest."""
        for some in (self.view.users.train, self.view.users.validation):
            order, common = self._busiest(some), self._commonest()
            for own in range(self.classes):
                liar = order[self.codes[order] == own][:1]
                yield self.claim(liar, (own + 1) % self.classes)
                if some is self.view.users.train and common not in (own, (own + 1) % self.classes):
                    yield self.claim(liar, common)

    def many(self, share: float) -> Iterator[Floats]:
        """A share of all users: random or busy ones, in training, validation or both, with several plans."""
        size, rng = round(share * len(self.counts)), np.random.default_rng(self.seed)
        train, validation = self.view.users.train, self.view.users.validation
        wrong = self.view.log_proba.argmax(axis=1) != self.codes
        drawn, held = rng.permutation(train), rng.permutation(validation)
        misread = np.concatenate((held[wrong[held]], held[~wrong[held]]))
        both = np.concatenate((drawn[: size - size // 2], held[: size // 2]))
        for liars in (drawn[:size], self._busiest(train)[:size], held[:size], both):
            yield self.claim(liars, (self.codes[liars] + 1) % self.classes)
        yield self.claim(drawn[:size], self._commonest())
        yield self.claim(misread[:size], self.codes[misread[:size]])  # to have counts trusted too much
        below = self.counts.copy()
        below[drawn[:size], self.codes[drawn[:size]]] = -np.floor(blocks._TAIL / self.epsilon[0])
        yield below

    def _commonest(self) -> int:
        return int(np.bincount(self.codes[self.view.users.train]).argmax())

    def _busiest(self, some: Ints) -> Ints:
        return some[np.argsort(-self.counts[some].sum(axis=1), kind="stable")]


def measured(users: Users, test: Ints) -> dict[str, float]:
    """The share of honest test users who are labelled correctly, under the worst attack of each kind."""

    def right(forged: Floats) -> float:
        return float((users.labels(forged)[test] == users.truth[test]).mean())

    many = {name: min(map(right, users.many(share))) for name, share in SHARES.items()}
    return {"nobody": right(users.counts), "one": min(map(right, users.one())), **many}


def _counts(reports: gl.Reports) -> Floats:
    assert reports.friend_counts is not None  # noqa: S101
    return reports.friend_counts


LIARS = {"nobody": "nobody", "one": "one user", "percent": "1 %", "tenth": "10 %"}
RATIO = 0.25 / 0.5  # test users over training users


def node_liars() -> str:
    """Mean accuracy of honest users, with the corrected error of Nadeau & Bengio (2003)."""
    known = [
        json.loads((DOCS / "results" / f"node-liars-{name}.json").read_text()) for name in ("cora", "facebookpages")
    ]
    head, rows = ["who lies"], [[shown] for shown in LIARS.values()]
    for each in known:
        for epsilon in (1.0, 2.0):
            for limits in (False, True):
                head.append(f"{each['dataset']}, ε = {epsilon:g}, {'with' if limits else 'no'} limits")
                splits = [row for row in each["splits"] if (row["epsilon"], row["limits"]) == (epsilon, limits)]
                for row, name in zip(rows, LIARS, strict=True):
                    values = np.array([split[name] for split in splits])
                    error = values.std(ddof=1) * np.sqrt(1 / len(values) + RATIO)
                    row.append(f"{values.mean():.3f} ± {error:.3f}")
    return markdown(head, rows)


if __name__ == "__main__":
    given, epsilons, seeds, out = asked(__doc__, SEEDS)
    splits = []
    for seed in seeds:
        sets = split_users(given, RATIOS, seed)
        view = FeatureView.of(given, train=sets.train, validation=sets.validation, seed=seed)
        for epsilon, limits in product(epsilons, (False, True)):
            with patch.dict(vars(blocks), {} if limits else NO_LIMITS):
                numbers = measured(Users(given, view, epsilon, seed), sets.test)
            splits.append({"epsilon": epsilon, "limits": limits, "seed": seed, **numbers})
            print(splits[-1], flush=True)
    kept(given, out, splits=splits)
