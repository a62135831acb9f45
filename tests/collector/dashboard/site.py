"""A collector with some history, and an operator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks.services import Collector
from tests.collector.people import N, open_ants, open_cats, report, submission

from graphldp.collector.roles import Role
from graphldp.collector.storage.operating.results import Prediction, Run
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice


class Site:
    """A collector with some history, and an operator."""

    def __init__(self, folder: Path) -> None:
        database = f"sqlite:///{folder / 'collector.db'}"
        self.store = Store.open(database)
        cats, self.tokens = open_cats(self.store)
        dogs, _ = open_cats(self.store, "dogs", label=1)
        self.store.open_community("birds", ["<b>ann</b>", "bob"], mechanism="rr", choices=[_rr()], name="<i>Birds</i>")
        rng = np.random.default_rng(0)
        open_ants(self.store, rng.integers(-2, 6, (N - 10, 3)).tolist())
        degrees = np.rint(8 + 9 * rng.standard_normal(N)).astype(int).tolist()
        self.store.accept(
            [submission(cats, u, self.tokens[u], report(u, degrees[u]), degrees[u]) for u in range(N - 8)]
        )
        self.store.results.set_flags(cats.key, {3: "threshold", 17: "threshold"})
        self.store.results.set_predictions([Prediction(cats.key, 1, 0.87, N - 8, "model.npz", certified=2)])
        settings = {"defense": "none", "seed": 0}
        self.store.results.add_run(Run("older.npz", 40, 2000, 1800, 0.8, settings))
        self.store.results.add_run(Run("model.npz", 40, 2000, 1800, 0.9, settings, held_out=10))
        self.store.close_community(dogs.id)
        self.key = self.store.operators.add("alice", Role.ADMINISTRATOR)
        self.collector = Collector(database, {"run_by": "The cats’ club", "contact": "club@cats.example"})


def _rr() -> Choice:
    return Choice("epsilon-1", 0.0, 1.0)
