"""A training run: one setting, several seeds, and two controls beside it, as a plan like any other.

``graphldp train`` asks for one. Its rows go to the results file that ``graphldp reproduce`` writes, so that a page
shows both, and a seed that is there is not trained again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from graphldp.allowance import ALLOWANCE, check_allowance
from graphldp.experiments.cells import Row
from graphldp.experiments.draws import REPORTED, Context, Draw, given_lists, mechanism_of
from graphldp.experiments.plans.plan import TRAINING, ExperimentPlan
from graphldp.experiments.plans.scope import PlannedCell
from graphldp.experiments.trial import NETWORK, NODES, Threat, Trial
from graphldp.experiments.trials.node_trials import check_users
from graphldp.graphs import GraphSet
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.training import TrainingOptions
from graphldp.learn.grid import Grid, preference
from graphldp.learn.metrics import summarize
from graphldp.learn.selection import split
from graphldp.mechanisms import DPRR, NonPrivFull
from graphldp.mechanisms.named import name_of, named

RECOMMENDED = "recommended"
RECIPE = "recipe-2"
ROBUST = "recipe-robust-5"
CONTROLS = {"degrees": "degree", "size": "size"}
"""What stands beside every run, and the classifier of its trials."""

NODE_CONTROLS = {"features": "node-features", "similarity": "node-similar", "features-all": "node-view"}
"""The same beside a run about single users: none of them hears a friend."""

_MEASURES = ("accuracy", "auc")
_ALWAYS = ("layers", "hidden", "dropout", "lr", "max_epochs", "min_epochs", "patience")  # cells name them all
_SHAPE = [each.name for each in fields(ModelSpec) if each.name not in ("num_classes", "num_features")]
_TRAINING = [each.name for each in fields(TrainingOptions) if each.name != "seed"]
_DEFAULTS = {e.name: e.default for kind in (ModelSpec, TrainingOptions) for e in fields(kind)}


@dataclass(frozen=True)
class Setup:
    """Everything that decides a run's results, beside its seeds.

    Args:
        dataset: as cells name it.
        ratios: the shares of training, validation and test graphs.
        draw: which noise, without a seed.
        model: what the network looks like, where it is not the default; ``"convolution"`` too. Of the classifier that
            withstands liars, what :func:`allowed` gives.
        training: how it is trained, where that is not the default.
        recommended: the recommended classifier instead of a network.
        grid: choose among these points on validation graphs.
        threat: attack and defense.
        robust: of the recommended classifiers, the one that withstands liars.
        task: ``"graphs"``, or ``"nodes"`` to label single users of one graph.
    """

    dataset: str
    ratios: tuple[float, ...]
    draw: Draw
    model: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    recommended: bool = False
    grid: Grid | None = None
    threat: Threat | None = None
    robust: bool = False
    task: Literal["graphs", "nodes"] = "graphs"

    @property
    def series(self) -> str:
        """What the run's own line is called: the convolution, ``"recommended"``, or the classifier of users."""
        if self.task == "nodes":
            return NODES
        return RECOMMENDED if self.recommended else str(self.model.get("convolution", "gin"))

    @property
    def contestants(self) -> tuple[str, ...]:
        """The run's own line and those of its controls."""
        return (self.series, *self.controls(0))

    def candidates(self, seed: int) -> list[Trial]:
        """The trials of one seed among which validation graphs choose; one where there is no grid."""
        if self.task == "nodes":
            return [self._trial(seed, NODES)]
        if self.recommended:
            return [replace(self._trial(seed, ROBUST if self.robust else RECIPE), model=self.model)]
        found = []
        for point in [{}] if self.grid is None else self.grid:
            rate = {"lr": point.pop("lr")} if point else {}
            model, training = {**self.model, **point}, {**self.training, **rate}
            found.append(replace(self._trial(seed, NETWORK), model=model, training=training))
        return found

    def controls(self, seed: int) -> dict[str, Trial]:
        """The controls of one seed. Those of single users do not depend on what is reported."""
        if self.task == "nodes":
            draw = self.draw if self.draw.mechanism == REPORTED else Draw(self.dataset, name_of(NonPrivFull))
            return {series: Trial(draw, self.ratios, seed, name) for series, name in NODE_CONTROLS.items()}
        return {series: self._trial(seed, name) for series, name in CONTROLS.items()}

    def plan(self, seeds: int, first: int = 0) -> ExperimentPlan:
        """What to compute for this many seeds, counted from the first."""
        entries = []
        for seed in range(first, first + seeds):
            entries += [PlannedCell("", self.series, None, seed, each.cell) for each in self.candidates(seed)]
            entries += [PlannedCell("", name, None, seed, each.cell) for name, each in self.controls(seed).items()]
        return ExperimentPlan(TRAINING, self.dataset, str(self), seeds, str(self.grid or ""), tuple(entries))

    def check(self, context: Context) -> None:
        """Raise here what would go wrong in every seed."""
        lists = given_lists(self.draw, context)
        if self.task == "nodes":
            check_users(lists, self.draw, self.ratios)
        else:
            split(lists.labels, self.ratios, 0)
        if isinstance(lists, GraphSet):
            mechanism_of(replace(self.draw, seed=0), lists)
        for trial in [] if self.recommended or self.task == "nodes" else self.candidates(0):
            ModelSpec(num_classes=2, **trial.model)
            TrainingOptions(**trial.training)

    def _trial(self, seed: int, classifier: str) -> Trial:
        draw = self.draw if self.draw.mechanism == REPORTED else replace(self.draw, seed=seed)
        return Trial(draw, self.ratios, seed, classifier, threat=self.threat)

    def __str__(self) -> str:
        """In words; runs that differ read differently, and a page shows them beside each other."""
        draw = self.draw
        words = {"epsilon": draw.epsilon, "budget": draw.budget, "public_fraction": draw.public_fraction or None}
        words |= dict(draw.options)
        parts = [_words(draw.mechanism, words)]
        if self.threat is not None:
            parts.append(str(self.threat))
        settings = {**self.model, **self.training}
        parts.append(_words(self.series, {k: v for k, v in settings.items() if k != "convolution"}))
        parts.append("split " + "/".join(f"{share:g}" for share in self.ratios))
        return "; ".join([*parts, *(["grid"] if self.grid else []), *(["robust"] if self.robust else [])])


def draw_for(
    dataset: str,
    graphs: GraphSet,
    mechanism: str,
    epsilon: float,
    public_fraction: float = 0.0,
    options: Mapping[str, Any] | None = None,
) -> Draw:
    """A draw by a mechanism's name and parameters; None among the options stands for the mechanism's own default.

    DPRR's is the draw that the experiments use, so that the same training is the same cell.
    """
    if mechanism == RECOMMENDED:
        return Draw(dataset, mechanism, epsilon, None, public_fraction)
    record = named(mechanism)
    given = {name: value for name, value in (options or {}).items() if value is not None}
    record.make(epsilon, **given)  # the errors for parameters that it does not take
    if record.kind is DPRR and given.keys() <= {"allocation", "alpha"}:
        budget = DPRR(epsilon, **given).budget(graphs.n_max)
        return Draw(dataset, "dprr", epsilon, (float(budget.degree), float(budget.edges)), public_fraction)
    private = epsilon if record.private else None
    # every option with its value, so that a cell does not change its meaning with a default
    named_options = tuple(sorted(record.settings(given).items()))
    return Draw(dataset, record.name, private, None, public_fraction, options=named_options)


def chosen(setup: Setup, seed: int, rows: Mapping[str, Row]) -> Row | None:
    """The row of one seed that validation graphs chose; None while a candidate is not done."""
    found = [rows.get(trial.cell.id) for trial in setup.candidates(seed)]
    done = [row for row in found if row is not None and row.status == "done"]
    if len(done) < len(found):
        return None
    return min(done, key=lambda row: preference(row.numbers["val_accuracy"], row.numbers.get("val_loss", 0.0)))


def split_settings(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What of a network's options is about its shape and what about its training; defaults that cells leave out go."""
    full = {name: given.get(name, default) for name, default in _DEFAULTS.items()}
    model, training = (
        {name: full[name] for name in kind if name in _ALWAYS or full[name] != _DEFAULTS[name]}
        for kind in (_SHAPE, _TRAINING)
    )
    return model, training


def allowed(given: float | None, owner: str) -> dict[str, Any]:
    """What a trial says of an allowance: nothing of the usual one, so that its cells keep their identity.

    Args:
        given: None for the usual one.
        owner: whose parameter it is.
    """
    asked = ALLOWANCE if given is None else check_allowance(given, owner)
    return {} if asked == ALLOWANCE else {"allowance": asked}


def seed_rows(setup: Setup, seeds: int, rows: Mapping[str, Row]) -> list[dict[str, Any]]:
    """One row for each seed: its own numbers, and each contestant's accuracy and AUC."""
    found = []
    for seed in range(seeds):
        best = chosen(setup, seed, rows)
        if best is None:
            continue
        contestants = {setup.series: best} | {k: rows[t.cell.id] for k, t in setup.controls(seed).items()}
        row: dict[str, Any] = {"seed": seed, "cell": best.cell.id, "seconds": best.seconds}
        row[held_out(setup)] = sum(map(sum, best.numbers["confusion"]))  # to measure by
        row |= {name: {what: each.numbers[what] for what in _MEASURES} for name, each in contestants.items()}
        row |= {name: value for name, value in best.numbers.items() if name not in _MEASURES}
        usual = {"allowance": ALLOWANCE} if setup.robust else {}
        params = usual | best.cell.params.get("model", {}) | best.cell.params.get("training", {})
        found.append(row | {"params": params})
    return found


def held_out(setup: Setup) -> str:
    """What a run holds out to measure by: graphs, or users."""
    return "users" if setup.task == "nodes" else "graphs"


def seeds_together(setup: Setup, found: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Mean, deviation and interval of each contestant's accuracy and AUC; None where there is none."""
    overlap = setup.ratios[2] / setup.ratios[0]
    table: dict[str, dict[str, dict[str, Any]]] = {}
    for name in setup.contestants:
        table[name] = {}
        for what in _MEASURES:
            values = [row[name][what] for row in found if row[name][what] is not None]
            of = found[0][held_out(setup)] if values and what == "accuracy" else None
            summary = asdict(summarize(values or [math.nan], overlap=overlap, within=(0.0, 1.0), of=of))
            table[name][what] = {k: None if math.isnan(v) else v for k, v in summary.items()}
    return table


def _words(name: str, values: Mapping[str, Any]) -> str:
    given = ", ".join(f"{key}={value}" for key, value in values.items() if value is not None and value != "")
    return f"{name}({given})" if given else name
