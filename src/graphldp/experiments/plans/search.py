"""A search by rungs: many points briefly, the best of them to the end, the best of those with every seed.

Short trainings say little about a slow learning rate against a fast one, so on the first rung points are compared with
those of their own learning rate. Points are compared by their mean validation accuracy over the rung's seeds, then by
the mean validation loss; no test number is read. What a rung needs is known once the one before it is done: the plan
grows with the rows that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from graphldp.experiments.cells import Row
from graphldp.experiments.plans.methods import method_of
from graphldp.experiments.plans.scope import Experiment, PlannedCell, Scope, draw_of
from graphldp.experiments.trial import Trial
from graphldp.learn.grid import preference

TESTED = "every seed"
"""The panel of the chosen point."""

BEFORE = "every seed, as before"
"""The panel of the point that all methods shared."""

Point = Mapping[str, Any]


@dataclass(frozen=True)
class Rung:
    """A step of a search: how long the points that are left are trained, and how many of them go on.

    Args:
        name: what the step is called.
        seeds: how many.
        keep: how many points of each learning rate go on; one of all where it is None.
        most_epochs: no training is longer, whatever the effort.
    """

    name: str
    seeds: int
    keep: int | None = None
    most_epochs: int | None = None


@dataclass(frozen=True, kw_only=True)
class GridSearch(Experiment):
    """Hyper-parameters chosen for each method on its own, by validation graphs, then tested with every seed.

    Args:
        methods: keys of :data:`~graphldp.experiments.plans.methods.METHODS`.
        rungs: the steps of the search.
        before: the point that all methods shared until then; it is tested beside each method's own.
        costly: methods with other, cheaper rungs; they are searched at the first λ alone.
        epsilon: ε of private users.
        public_fraction: λ.
    """

    methods: tuple[str, ...]
    rungs: tuple[Rung, ...]
    before: tuple[tuple[str, float], ...]
    costly: tuple[tuple[str, tuple[Rung, ...]], ...] = ()
    epsilon: float = 1.0
    public_fraction: tuple[float, ...] = (0.0, 0.2)

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """What a search needs, as far as the rows of the scope tell."""
        costly = dict(self.costly)
        for method in self.methods:
            fractions = [x for x in self.public_fraction if x or method != "nonpriv-part"]
            chosen: Point | None = None
            for fraction in fractions[:1] if method_of(method).across else fractions:
                search = _Search(self, setting, method, fraction)
                yield from search.tested(dict(self.before), BEFORE)
                if method not in costly or fraction == fractions[0]:
                    entries: list[PlannedCell] = []
                    chosen = search.climb(costly.get(method, self.rungs), entries)
                    yield from entries
                if chosen is not None:
                    yield from search.tested(chosen, TESTED)


@dataclass(frozen=True)
class _Search:
    """The search of one method at one λ."""

    spec: GridSearch
    setting: Scope
    method: str
    fraction: float

    @property
    def x(self) -> float | None:
        """The search's place on the x axis: its λ, or across all."""
        return None if method_of(self.method).across else self.fraction

    def entry(self, panel: str, point: Point, seed: int, most_epochs: int | None = None) -> PlannedCell:
        """One training."""
        given = {"epsilon": self.spec.epsilon, "alpha": 0.9, "public_fraction": self.fraction}
        draw = draw_of(self.method, self.setting, seed=seed, **given)
        effort = self.setting.effort
        training = {"lr": point["lr"], "min_epochs": effort.min_epochs, "patience": effort.patience}
        training["max_epochs"] = min(effort.max_epochs, most_epochs or effort.max_epochs)
        model = {name: point[name] for name in ("layers", "hidden", "dropout")}
        trial = Trial(draw, self.setting.ratios, seed, model=model, training=training)
        return PlannedCell(panel, self.method, self.x, seed, trial)

    def climb(self, rungs: Sequence[Rung], entries: list[PlannedCell]) -> Point | None:
        """Add what the search needs so far; the point that it chose, or None while a rung is not done."""
        points: list[Point] = list(self.setting.effort.grid.on(self.setting.dataset))
        for rung in rungs:
            own = [
                [self.entry(rung.name, point, seed, rung.most_epochs) for seed in range(self._seeds(rung))]
                for point in points
            ]
            entries += [entry for each in own for entry in each]
            keys = [_key(each, self.setting.rows) for each in own]
            if None in keys:
                return None
            order = sorted(range(len(points)), key=lambda i: keys[i] or ())
            points = _best([points[i] for i in order], rung.keep)
        return points[0]

    def tested(self, point: Point, panel: str) -> Iterator[PlannedCell]:
        """A point with every seed."""
        for seed in range(self.setting.seeds):
            yield self.entry(panel, point, seed)

    def _seeds(self, rung: Rung) -> int:
        return min(rung.seeds, self.setting.seeds)


def _key(entries: Sequence[PlannedCell], rows: Mapping[str, Row]) -> tuple[float, float] | None:
    """Less for a better point; None while one of its trainings is not done."""
    found = [rows.get(entry.cell.id) for entry in entries]
    done = [row.numbers for row in found if row is not None and row.status == "done"]
    if len(done) < len(found):
        return None
    return preference(fmean(each["val_accuracy"] for each in done), fmean(each["val_loss"] for each in done))


def _best(points: Sequence[Point], keep: int | None) -> list[Point]:
    """The first so many of each learning rate; the first of all where no number is given."""
    if keep is None:
        return list(points[:1])
    rates: dict[float, list[Point]] = {}
    for point in points:
        rates.setdefault(point["lr"], []).append(point)
    return [point for own in rates.values() for point in own[:keep]]
