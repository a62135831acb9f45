"""From estimators and graphs to trainings and back: packed once, trained together where the architecture agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from graphldp.learn.calibration import Calibration
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.packed.packing import kind_of
from graphldp.learn.engine.training import (
    EpochRecord,
    Job,
    Trained,
    TrainingOptions,
    predict_proba,
    resolve_device,
    train_many,
)
from graphldp.learn.inputs import check_lists, given_labels, graphs_of, labels_of, num_features
from graphldp.learn.metrics import codes_of
from graphldp.learn.saving.provenance import provenance_of
from graphldp.learn.selection import split
from graphldp.neighbour_lists import NeighbourLists

if TYPE_CHECKING:
    from graphldp.learn.classifier import GraphClassifier

Validation = NeighbourLists | tuple[NeighbourLists, ArrayLike]
OnEpoch = Callable[[int, EpochRecord], None]
_HELD_OUT = 0.1


@dataclass(frozen=True)
class Fit:
    """One classifier to fit, and on what; see :meth:`graphldp.GraphClassifier.fit` for the arguments."""

    classifier: GraphClassifier
    X: NeighbourLists
    y: ArrayLike | None = None
    validation: Validation | None = None


@dataclass(frozen=True)
class Fitted:
    """The result of a fit: labels in the order of the scores, the model, its origin, and its calibration."""

    classes: NDArray[Any]
    spec: ModelSpec
    trained: Trained
    provenance: dict[str, Any]
    calibration: Calibration


@dataclass(frozen=True)
class _Plan:
    """A fit with its input checked and its labels coded, not yet packed."""

    classes: NDArray[Any]
    spec: ModelSpec
    options: TrainingOptions
    device: torch.device
    graphs: NeighbourLists
    codes: NDArray[np.int64]
    held_out: NeighbourLists | None  # None: a tenth of the graphs
    held_out_codes: NDArray[np.int64] | None
    provenance: dict[str, Any] = field(repr=False)


def fit_many(fits: Sequence[Fit], *, on_epoch: OnEpoch | None = None) -> list[Fitted]:
    """Fit several classifiers, those of one architecture as one stacked computation.

    Args:
        fits: what to fit. Sets of graphs that several of them share are packed once.
        on_epoch: called with the fit's position and each epoch's record.
    """
    plans = [_plan(each) for each in fits]
    packs = _Packs(plans)
    groups: dict[tuple[ModelSpec, torch.device], list[int]] = {}
    for position, plan in enumerate(plans):
        groups.setdefault((replace(plan.spec, dropout=0.0), plan.device), []).append(position)
    done: dict[int, Fitted] = {}
    for positions in groups.values():
        jobs = [packs.job(plans[position]) for position in positions]
        report = None if on_epoch is None else _renumbered(on_epoch, positions)
        for position, job, trained in zip(positions, jobs, train_many(jobs, on_epoch=report), strict=True):
            plan = plans[position]
            done[position] = Fitted(plan.classes, plan.spec, trained, plan.provenance, calibration_of(job, trained))
    return [done[position] for position in range(len(fits))]


def calibration_of(job: Job, trained: Trained) -> Calibration:
    """How a trained network's probabilities are to be read, by its validation graphs."""
    chances = predict_proba(job.spec, trained.state, job.validation)
    return Calibration.fit(chances, np.asarray(job.validation.classes))


def _renumbered(on_epoch: OnEpoch, positions: Sequence[int]) -> OnEpoch:
    return lambda job, record: on_epoch(positions[job], record)


def _plan(fit: Fit) -> _Plan:
    clf, owner = fit.classifier, type(fit.classifier).__name__
    graphs = graphs_of(fit.X, owner)
    classes, codes = labels_of(graphs, fit.y, owner)
    check_lists(graphs, clf.features)
    spec = ModelSpec(len(classes), num_features=num_features(graphs, clf.features), **_given(clf, ModelSpec))
    options = TrainingOptions(**_given(clf, TrainingOptions))
    held_out, held_out_codes = None, None
    if fit.validation is not None:
        given, labels = fit.validation if isinstance(fit.validation, tuple) else (fit.validation, None)
        held_out = graphs_of(given, owner)
        held_out_codes = codes_of(classes, given_labels(held_out, labels))
    provenance = provenance_of(fit.X, clf.seed)
    device = resolve_device(clf.device)
    return _Plan(classes, spec, options, device, graphs, codes, held_out, held_out_codes, provenance)


def _given(clf: GraphClassifier, kind: type[ModelSpec | TrainingOptions]) -> dict[str, Any]:
    """The fields of a kind of settings that a classifier has."""
    return {each.name: getattr(clf, each.name) for each in fields(kind) if hasattr(clf, each.name)}


class _Packs:
    """Sets of graphs on their devices, each packed once for the deepest model that will use it."""

    def __init__(self, plans: Iterable[_Plan]) -> None:
        self._deepest: dict[Any, ModelSpec] = {}
        self._packed: dict[Any, PackedGraphs] = {}
        for plan in plans:
            for graphs in (plan.graphs, plan.held_out):
                key = self._key(plan, graphs)
                if key not in self._deepest or self._deepest[key].layers < plan.spec.layers:
                    self._deepest[key] = plan.spec

    @staticmethod
    def _key(plan: _Plan, graphs: NeighbourLists | None) -> Any:
        return id(graphs), kind_of(plan.spec), plan.device

    def _pack(self, plan: _Plan, graphs: NeighbourLists, codes: NDArray[np.int64] | None) -> PackedGraphs:
        key = self._key(plan, graphs)
        if key not in self._packed:
            self._packed[key] = PackedGraphs.pack(graphs, self._deepest[key], plan.device)
        return replace(self._packed[key], classes=codes)

    def job(self, plan: _Plan) -> Job:
        packed = self._pack(plan, plan.graphs, plan.codes)
        if plan.held_out is not None:
            return Job(plan.spec, plan.options, packed, self._pack(plan, plan.held_out, plan.held_out_codes))
        learn, stop = split(plan.codes, (1 - _HELD_OUT, _HELD_OUT), plan.options.seed)
        return Job(plan.spec, plan.options, packed.subset(learn), packed.subset(stop))
