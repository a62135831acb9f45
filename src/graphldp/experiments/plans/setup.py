"""A training run: one setting, several seeds, and two controls beside it, as a plan like any other.

``graphldp train`` asks for one. Its rows go to the results file that ``graphldp reproduce`` writes, so that a page
shows both, and a seed that is there is not trained again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from graphldp.allowance import ALLOWANCE, check_allowance
from graphldp.datasets.registry import NODE_SPLIT, split_ratios
from graphldp.errors import ParameterError, bad_parameter
from graphldp.experiments.cells import Row
from graphldp.experiments.draws import RECOMMENDED, REPORTED, Context, Draw, given_lists, mechanism_of
from graphldp.experiments.plans.plan import TRAINING, ExperimentPlan
from graphldp.experiments.plans.scope import PlannedCell
from graphldp.experiments.trial import NETWORK, NODES, RECIPE, ROBUST, WITNESSES, Threat, Trial
from graphldp.experiments.trials.users import check_users
from graphldp.graphs import GraphSet
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import TrainingOptions
from graphldp.learn.grid import Grid, paper_grid, preference
from graphldp.learn.metrics import summarize
from graphldp.learn.recipe import recommended as recommended_recipe
from graphldp.mechanisms import DPRR, NonPrivFull
from graphldp.mechanisms.named import name_of, named
from graphldp.reports import Reports

CONTROLS = {"degrees": "degree", "size": "size"}
"""What stands beside every run, and the classifier of its trials."""

NODE_CONTROLS = {"features": "node-features", "similarity": "node-similar", "features-all": "node-view"}
"""The controls beside a run about single users: none of them reads a report about friends."""

_MEASURES = ("accuracy", "auc")
_ALWAYS = ("layers", "hidden", "dropout", "lr", "max_epochs", "min_epochs", "patience")  # cells name them all
_SHAPE = [each.name for each in fields(ModelSpec) if each.name not in ("num_classes", "num_features")]
_TRAINING = [each.name for each in fields(TrainingOptions) if each.name != "seed"]
_DEFAULTS = {e.name: e.default for kind in (ModelSpec, TrainingOptions) for e in fields(kind)}
_MARKS = {ROBUST: "robust", WITNESSES: "witnesses"}


@dataclass(frozen=True)
class Setup:
    """The setup of a run: everything that decides its results, beside its seeds.

    Args:
        trial: what is run; the seeds of the trial and of its draw do not count. Its model and training name what is
            not the default; of the classifier that withstands liars, the model is what :func:`allowed` gives.
        grid: choose among these points on validation graphs.
    """

    trial: Trial
    grid: Grid | None = None

    @property
    def series(self) -> str:
        """What the run's own line is called: the convolution, ``"recommended"``, or the classifier of users."""
        if self.trial.classifier == NODES:
            return NODES
        network = self.trial.classifier == NETWORK
        return str(self.trial.model.get("convolution", "gin")) if network else RECOMMENDED

    @property
    def held_out(self) -> str:
        """The units that the run holds out to measure by: graphs, or users."""
        return "users" if self.trial.classifier == NODES else "graphs"

    def candidates(self, seed: int) -> list[Trial]:
        """The trials of one seed among which validation graphs choose; one where there is no grid."""
        own = self._seeded(seed)
        if self.grid is None:
            return [own]
        found = []
        for point in self.grid:
            training = {**own.training, "lr": point.pop("lr")}
            found.append(replace(own, model={**own.model, **point}, training=training))
        return found

    def controls(self, seed: int) -> dict[str, Trial]:
        """The controls of one seed. Those of single users do not depend on what is reported."""
        own = replace(self._seeded(seed), model={}, training={})
        if self.trial.classifier != NODES:
            return {series: replace(own, classifier=name) for series, name in CONTROLS.items()}
        draw = own.draw if own.draw.mechanism == REPORTED else Draw(own.draw.dataset, name_of(NonPrivFull))
        return {series: replace(own, draw=draw, classifier=name) for series, name in NODE_CONTROLS.items()}

    def plan(self, seeds: int, first: int = 0) -> ExperimentPlan:
        """The plan for this many seeds, counted from the first."""
        entries = []
        for seed in range(first, first + seeds):
            entries += [PlannedCell("", self.series, None, seed, each) for each in self.candidates(seed)]
            entries += [PlannedCell("", name, None, seed, each) for name, each in self.controls(seed).items()]
        return ExperimentPlan(TRAINING, self.trial.draw.dataset, str(self), seeds, str(self.grid or ""), tuple(entries))

    def check(self, context: Context) -> None:
        """Refuse a setup that would go wrong in every seed."""
        first = self.candidates(0)[0]
        lists = given_lists(first.draw, context)
        if self.trial.classifier == NODES:
            check_users(lists, first.draw, first.ratios)
        else:
            first.parts(lists.labels)
        if isinstance(lists, GraphSet):
            mechanism_of(first.draw, lists)
        for trial in self.candidates(0) if self.trial.classifier == NETWORK else ():
            ModelSpec(num_classes=2, **trial.model)
            TrainingOptions(**trial.training)

    def _seeded(self, seed: int) -> Trial:
        draw = self.trial.draw
        return replace(self.trial, draw=draw if draw.mechanism == REPORTED else replace(draw, seed=seed), seed=seed)

    def __str__(self) -> str:
        """The run in words; runs that differ read differently, and a page shows them beside each other."""
        draw, trial = self.trial.draw, self.trial
        words = {"epsilon": draw.epsilon, "budget": draw.budget, "public_fraction": draw.public_fraction or None}
        parts = [_words(draw.mechanism, words | dict(draw.options))]
        if trial.threat is not None:
            parts.append(str(trial.threat))
        if trial.trusted is not None:
            parts.append(f"{trial.trusted:.0%} trusted")
        settings = {**trial.model, **trial.training}
        parts.append(_words(self.series, {k: v for k, v in settings.items() if k != "convolution"}))
        parts.append("split " + "/".join(f"{share:g}" for share in trial.ratios))
        marks = ["grid" if self.grid else "", _MARKS.get(trial.classifier, "")]
        return "; ".join([*parts, *filter(None, marks)])


def asked_setup(
    name: str,
    data: GraphSet | Reports,
    mechanism: str | None,
    epsilon: float,
    *,
    public_fraction: float = 0.0,
    options: Mapping[str, Any] | None = None,
    network: Mapping[str, Any] | None = None,
    recommended: bool = False,
    grid: bool = False,
    ratios: tuple[float, ...] | None = None,
    task: Literal["graphs", "nodes"] = "graphs",
    threat: Threat | None = None,
    robust: bool = False,
    allowance: float | None = None,
    trusted: float | None = None,
) -> Setup:
    """The setup that the options of ``graphldp train`` mean.

    Args:
        name: how results name the data.
        data: graphs, or reports that are drawn already.
        mechanism: what draws, where the data are graphs.
        epsilon: at which ε.
        public_fraction: the share λ of public users.
        options: of the mechanism.
        network: of the classifier.
        recommended: whether the recipe draws and is fitted; to reports with witnesses the classifier that reads these.
        grid: whether the paper's grid is searched.
        ratios: of training, validation and test graphs; the dataset's own by default.
        task: what is labelled.
        threat: who lies, and what the server does about it.
        robust: whether the recipe is the one that withstands liars.
        allowance: how much accuracy that may cost.
        trusted: the share of training graphs to learn from alone.
    """
    if task == "nodes" and (recommended or mechanism is None):  # named by itself: it is a mechanism's run
        mechanism = name_of(type(recommended_recipe(epsilon, task="nodes").mechanism))
    elif recommended:
        mechanism = RECOMMENDED
    draw = Draw(name, REPORTED)
    if isinstance(data, GraphSet):
        draw = draw_for(name, data, mechanism or "dprr", epsilon, public_fraction, options)
    if task == "nodes":
        return Setup(Trial(draw, tuple(ratios or NODE_SPLIT), 0, NODES))
    if data.labels is None and data.node_labels is not None:
        raise ParameterError(f"{name} has labels of its users, and none of whole graphs: add --task nodes.")
    trial = Trial(draw, tuple(ratios or split_ratios(data.name)), 0, threat=threat, trusted=trusted)
    kept = allowed(allowance, "graphldp train")
    if recommended:
        witnesses = isinstance(data, Reports) and "dealt" in data.origin.parameters
        if witnesses and kept:
            raise bad_parameter("allowance", "graphldp train", "left out where reports have witnesses", allowance)
        kind = WITNESSES if witnesses else ROBUST if robust else RECIPE
        return Setup(replace(trial, classifier=kind, model=kept))
    model, training = split_settings(network or {})
    return Setup(replace(trial, model=model, training=training), paper_grid(data.name) if grid else None)


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
    """A network's options in two parts, its shape and its training, without the defaults that cells leave out."""
    full = {name: given.get(name, default) for name, default in _DEFAULTS.items()}
    model, training = (
        {name: full[name] for name in kind if name in _ALWAYS or full[name] != _DEFAULTS[name]}
        for kind in (_SHAPE, _TRAINING)
    )
    return model, training


def allowed(given: float | None, owner: str) -> dict[str, Any]:
    """An allowance as a trial's model; nothing for the usual one, so that its cells keep their identity.

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
        row[setup.held_out] = sum(map(sum, best.numbers["confusion"]))  # to measure by
        row |= {name: {what: each.numbers[what] for what in _MEASURES} for name, each in contestants.items()}
        row |= {name: value for name, value in best.numbers.items() if name not in _MEASURES}
        usual = {"allowance": ALLOWANCE} if setup.trial.classifier == ROBUST else {}
        params = usual | best.cell.params.get("model", {}) | best.cell.params.get("training", {})
        found.append(row | {"params": params})
    return found


def seeds_together(setup: Setup, found: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Mean, deviation and interval of each contestant's accuracy and AUC; None where there is none."""
    overlap = setup.trial.ratios[2] / setup.trial.ratios[0]
    table: dict[str, dict[str, dict[str, Any]]] = {}
    for name in (setup.series, *setup.controls(0)):
        table[name] = {}
        for what in _MEASURES:
            values = [row[name][what] for row in found if row[name][what] is not None]
            of = found[0][setup.held_out] if values and what == "accuracy" else None
            summary = asdict(summarize(values or [math.nan], overlap=overlap, within=(0.0, 1.0), of=of))
            table[name][what] = {k: None if math.isnan(v) else v for k, v in summary.items()}
    return table


def _words(name: str, values: Mapping[str, Any]) -> str:
    given = ", ".join(f"{key}={value}" for key, value in values.items() if value is not None and value != "")
    return f"{name}({given})" if given else name
