"""Many networks trained as one computation: a pack holds the trials that are trained together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from graphldp.errors import GraphLDPError
from graphldp.experiments.cells import canonical
from graphldp.experiments.draws import Context, Draw, expected_bytes, given_lists, shortage
from graphldp.experiments.measures.outcomes import CellOutcome, refusal, scored
from graphldp.experiments.trial import Trial
from graphldp.experiments.trials.cases import Defended, cases_of
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.packed.packing import kind_of
from graphldp.learn.engine.packed.store import Kind
from graphldp.learn.engine.training import (
    EpochRecord,
    Job,
    Trained,
    TrainingOptions,
    predict_proba,
    resolve_device,
    train_each,
)
from graphldp.learn.fitting import Fitted, calibration_of
from graphldp.learn.inputs import check_lists, num_features
from graphldp.learn.metrics import evaluate
from graphldp.learn.saving.provenance import provenance_of
from graphldp.learn.selection import split
from graphldp.reports import Reports

Watch = Callable[[Trial, EpochRecord], None]
_BYTES_PER_ENTRY = 48  # packed for training, as in draws, where no two users are alike
_ROOM = 0.35  # of the memory for packed graphs: joining them doubles it, and activations come on top


def train(trials: Sequence[Trial], context: Context, watch: Watch | None = None) -> Iterator[list[CellOutcome]]:
    """Train the networks of some trials, as many beside each other as memory holds.

    Each case is drawn, attacked and defended once, and packed once for each kind of model.
    """
    fitting: list[Trial] = []
    for draw, own in _by_draw(trials):
        try:
            short = shortage(expected_bytes(draw, given_lists(draw, context)), context)
        except GraphLDPError as error:
            yield [refusal(trial.cell, error) for trial in own]
            continue
        if short is not None:
            yield [CellOutcome(trial.cell, "too-large", note=short) for trial in own]
            continue
        fitting += own
    waves = {dense: _Wave(watch) for dense in (False, True)}
    for members, case in cases_of(fitting, context):
        if time.monotonic() > context.deadline:
            return
        try:
            if isinstance(case, GraphLDPError):
                raise case
            attacked = members[0].threat is not None and context.device == "cpu"
            short = shortage(_BYTES_PER_ENTRY * case.reports.num_entries, context) if attacked else None
            if short is not None:
                yield [CellOutcome(trial.cell, "too-large", note=short) for trial in members]
                continue
            dense = context.device != "cpu" and _mostly_full(case.reports)
            waves[dense].add(members, case, context)
        except GraphLDPError as error:
            yield [refusal(trial.cell, error) for trial in members]
            continue
        if waves[dense].bytes > _ROOM * context.memory:
            yield from waves[dense].train(context)
            waves[dense] = _Wave(watch)
    for wave in waves.values():
        if wave.bytes:
            yield from wave.train(context)


def _by_draw(trials: Sequence[Trial]) -> list[tuple[Draw, list[Trial]]]:
    found: dict[Draw, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.draw, []).append(trial)
    return list(found.items())


def _mostly_full(reports: Reports) -> bool:
    """Whether lists are long, so that few trainings fit into memory: kept apart, they do not hold up the others."""
    return 32 * reports.num_entries > int((reports.sizes**2).sum())


class _Fitting:
    """One network to train: the packed graphs, and what its model will say of itself."""

    def __init__(self, trial: Trial, packed: PackedGraphs, reports: Reports, classes: Any) -> None:
        self.trial, self.classes = trial, classes
        learn, stop, test = split(packed.classes, trial.ratios, trial.seed)
        self.spec = spec_of(trial, reports)
        check_lists(reports, self.spec.features)
        options = TrainingOptions(**trial.training, seed=trial.seed)
        self.job = Job(self.spec, options, packed.subset(learn), packed.subset(stop))
        self.test = packed.subset(test)
        self.provenance = provenance_of(reports, trial.seed) | {"graphs": len(learn)}

    @property
    def architecture(self) -> str:
        """The same text for models that can be trained as one."""
        return repr(replace(self.spec, dropout=0.0))

    def outcome(self, trained: Trained) -> CellOutcome:
        """How well the trained model labels the test graphs."""
        best = trained.history[trained.best_epoch - 1]
        chances = predict_proba(self.spec, trained.state, self.test)
        numbers = scored(evaluate(self.classes, chances, self.classes[np.asarray(self.test.classes)]), self.classes)
        numbers |= {
            "val_accuracy": best.val_accuracy,
            "val_loss": best.val_loss,
            "epochs": len(trained.history),
            "best_epoch": trained.best_epoch,
        }
        model = Fitted(self.classes, self.spec, trained, self.provenance, calibration_of(self.job, trained))
        return CellOutcome(self.trial.cell, "done", numbers, seconds=trained.seconds, model=model)


def spec_of(trial: Trial, reports: Reports) -> ModelSpec:
    """The architecture of a trial's network; the training graphs say what it has to know of its input."""
    count = len(np.unique(np.asarray(reports.labels)))
    features = trial.model.get("features")
    if features not in ("degree", "columns"):
        return ModelSpec(num_classes=count, **trial.model)
    learn = split(reports.labels, trial.ratios, trial.seed)[0]
    known = num_features(reports.subset(learn).induced(), features)
    return ModelSpec(num_classes=count, num_features=known, **trial.model)


class _Wave:
    """Trainings whose packed graphs are in memory together.

    A defense that flags nobody leaves the reports as they are: its training is the undefended one, done once.
    """

    def __init__(self, watch: Watch | None) -> None:
        self.bytes = 0
        self._watch = watch
        self._fitting: list[_Fitting] = []
        self._rates: dict[str, dict[str, float]] = {}
        self._twins: dict[str, list[Trial]] = {}
        self._untouched: dict[str, Trial] = {}

    def add(self, trials: Sequence[Trial], case: Defended, context: Context) -> None:
        """Pack the graphs of some trials that share them."""
        new: dict[Kind, list[Trial]] = {}
        for trial in trials:
            self._rates[trial.cell.id] = case.rates
            same = case.untouched and trial.threat is not None
            first = self._untouched.setdefault(_undefended(trial), trial) if same else trial
            self._twins.setdefault(first.cell.id, []).append(trial)
            if first is trial:
                new.setdefault(kind_of(spec_of(trial, case.reports)), []).append(trial)
        for own in new.values():
            self._pack(own, case.reports, context)

    def _pack(self, trials: Sequence[Trial], reports: Reports, context: Context) -> None:
        classes, codes = np.unique(np.asarray(reports.labels), return_inverse=True)
        deepest = max((spec_of(trial, reports) for trial in trials), key=lambda spec: spec.layers)
        packed = PackedGraphs.pack(reports, deepest, resolve_device(context.device), codes)
        self._fitting += [_Fitting(trial, packed, reports, classes) for trial in trials]
        self.bytes += packed.store.num_bytes

    def train(self, context: Context) -> Iterator[list[CellOutcome]]:
        """Train what was packed; models of one architecture run together."""
        self._fitting.sort(key=lambda each: each.architecture)
        for _, members in groupby(self._fitting, key=lambda each: each.architecture):
            for outcome in _train_together(list(members), context, self._watch):
                yield [
                    replace(outcome, cell=twin.cell, numbers={**self._rates[twin.cell.id], **outcome.numbers})
                    for twin in self._twins[outcome.cell.id]
                ]


def _undefended(trial: Trial) -> str:
    return canonical({k: v for k, v in trial.cell.params.items() if k not in ("defense", "treatment")})


def _train_together(members: Sequence[_Fitting], context: Context, watch: Watch | None) -> Iterator[CellOutcome]:
    left = dict(enumerate(members))
    broken: Exception | None = None
    report = None if watch is None else lambda job, record: watch(members[job].trial, record)
    jobs = [each.job for each in members]
    try:
        for position, trained in train_each(jobs, at_once=context.at_once, deadline=context.deadline, on_epoch=report):
            yield left.pop(position).outcome(trained)
    except (GraphLDPError, RuntimeError) as error:  # a loss that is not a number, or a GPU whose memory is full
        if len(members) == 1:
            yield refusal(members[0].trial.cell, error)
            return
        broken = error.with_traceback(None)  # which holds on to the failed stack's memory
    if broken is not None:  # find the culprit by halves
        rest = list(left.values())
        half = -(-len(rest) // 2)
        yield from _train_together(rest[:half], context, watch)
        yield from _train_together(rest[half:], context, watch)
