"""Trials that train a network: packed once for each kind of model, and trained as many beside each other as fit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from graphldp.errors import GraphLDPError
from graphldp.experiments.cells import Row, canonical
from graphldp.experiments.draws import Context, Draw, check_memory, expected_bytes, given_lists
from graphldp.experiments.trial import Trial
from graphldp.experiments.trials.cases import Defended, cases_of
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import EpochRecord, Training, TrainingOptions
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.packed.packing import kind_of
from graphldp.learn.engine.packed.store import Kind
from graphldp.learn.engine.training import predict_proba, resolve_device
from graphldp.learn.fitting import Fitted, fit_each
from graphldp.learn.inputs import check_lists, num_features, provenance_of
from graphldp.learn.metrics import evaluate
from graphldp.reports import Reports

Watch = Callable[[Trial, EpochRecord], None]
_BYTES_PER_ENTRY = 48  # packed for training, as in draws, where no two users are alike
_ROOM = 0.35  # of the memory for packed graphs: joining them doubles it, and activations come on top


def train(trials: Sequence[Trial], context: Context, watch: Watch | None = None) -> Iterator[list[Row]]:
    """Train the networks of some trials, as many beside each other as memory holds.

    Each case is drawn, attacked and defended once, and packed once for each kind of model.
    """
    fitting: list[Trial] = []
    draws: dict[Draw, list[Trial]] = {}
    for trial in trials:
        draws.setdefault(trial.draw, []).append(trial)
    for draw, own in draws.items():
        try:
            check_memory(expected_bytes(draw, given_lists(draw, context)), context)
            fitting += own
        except GraphLDPError as error:
            yield [Row.refused(trial.cell, error) for trial in own]
    waves = {dense: _Wave(watch) for dense in (False, True)}
    for members, case in cases_of(fitting, context):
        if time.monotonic() > context.deadline:
            return
        try:
            if isinstance(case, GraphLDPError):
                raise case
            if members[0].threat is not None and context.device == "cpu":
                check_memory(_BYTES_PER_ENTRY * case.reports.num_entries, context)
            dense = context.device != "cpu" and _mostly_full(case.reports)
            waves[dense].add(members, case, context)
        except GraphLDPError as error:
            yield [Row.refused(trial.cell, error) for trial in members]
            continue
        if waves[dense].bytes > _ROOM * context.memory:
            yield from waves[dense].train(context)
            waves[dense] = _Wave(watch)
    for wave in waves.values():
        yield from wave.train(context)


def _mostly_full(reports: Reports) -> bool:
    """Whether lists are long, so that few trainings fit into memory: kept apart, they do not hold up the others."""
    return 32 * reports.num_entries > int((reports.sizes**2).sum())


def spec_of(trial: Trial, reports: Reports) -> ModelSpec:
    """The architecture of a trial's network; the training graphs say what it has to know of its input."""
    count = len(np.unique(np.asarray(reports.labels)))
    features = trial.model.get("features")
    if features not in ("degree", "columns"):
        return ModelSpec(num_classes=count, **trial.model)
    learn = trial.parts(reports.labels)[0]
    known = num_features(reports.subset(learn).induced(), features)
    return ModelSpec(num_classes=count, num_features=known, **trial.model)


@dataclass
class _Wave:
    """Trainings whose packed graphs are in memory together.

    A defense that flags nobody leaves the reports as they are: its training is the undefended one, done once.
    """

    watch: Watch | None
    bytes: int = 0
    _trainings: dict[Training, tuple[Trial, PackedGraphs]] = field(default_factory=dict)
    _sharing: dict[str, list[tuple[Trial, dict[str, float]]]] = field(default_factory=dict)
    _untouched: dict[str, Trial] = field(default_factory=dict)

    def add(self, trials: Sequence[Trial], case: Defended, context: Context) -> None:
        """Pack the graphs of some trials that share them."""
        new: dict[Kind, list[Trial]] = {}
        for trial in trials:
            same = case.untouched and trial.threat is not None
            first = self._untouched.setdefault(_undefended(trial), trial) if same else trial
            self._sharing.setdefault(first.cell.id, []).append((trial, case.rates))
            if first is trial:
                new.setdefault(kind_of(spec_of(trial, case.reports)), []).append(trial)
        for own in new.values():
            self._pack(own, case.reports, context)

    def _pack(self, trials: Sequence[Trial], reports: Reports, context: Context) -> None:
        classes, codes = np.unique(np.asarray(reports.labels), return_inverse=True)
        specs = [spec_of(trial, reports) for trial in trials]
        deepest = max(specs, key=lambda spec: spec.layers)
        packed = PackedGraphs.pack(reports, deepest, resolve_device(context.device), codes)
        for trial, spec in zip(trials, specs, strict=True):
            parts = trial.parts(packed.classes)
            learn, stop, test = map(packed.subset, parts)
            check_lists(reports, spec.features)
            options = TrainingOptions(**trial.training, seed=trial.seed)
            provenance = provenance_of(reports, trial.seed) | {"graphs": len(learn)}
            self._trainings[Training(spec, options, learn, stop, classes, provenance)] = trial, test
        self.bytes += packed.store.num_bytes

    def train(self, context: Context) -> Iterator[list[Row]]:
        """Train what was packed, and score it."""
        watch, about = self.watch, self._trainings
        report = None if watch is None else lambda each, record: watch(about[each][0], record)
        for each, fitted in fit_each(list(about), at_once=context.at_once, deadline=context.deadline, on_epoch=report):
            trial, test = about[each]
            row = Row.refused(trial.cell, fitted) if isinstance(fitted, Exception) else _scored(trial, fitted, test)
            yield [
                replace(row, cell=twin.cell, numbers={**rates, **row.numbers})
                for twin, rates in self._sharing[trial.cell.id]
            ]


def _undefended(trial: Trial) -> str:
    return canonical({k: v for k, v in trial.cell.params.items() if k not in ("defense", "treatment")})


def _scored(trial: Trial, fitted: Fitted, test: PackedGraphs) -> Row:
    """How well a network labels the test graphs."""
    chances = predict_proba(fitted.spec, fitted.weights, test)
    scores = evaluate(fitted.classes, chances, fitted.classes[np.asarray(test.classes)])
    numbers = scores.numbers(fitted.classes) | {
        "val_accuracy": fitted.best.val_accuracy,
        "val_loss": fitted.best.val_loss,
        "epochs": len(fitted.history),
        "best_epoch": fitted.best.epoch,
    }
    return Row(trial.cell, "done", numbers, fitted.seconds, model=fitted)
