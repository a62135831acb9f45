"""Cells about malicious users: what they cost a model, what a defense recovers, and whom it flags.

As in the paper, malicious users rewrite their lists in the training graphs only, so that training and test graphs
differ the most; the defense sees all graphs, since the server cannot know which were attacked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import GraphLDPError
from graphldp.experiments.accuracy import train_packed
from graphldp.experiments.cells import Cell, canonical
from graphldp.experiments.draws import Context, Draw, load, reports_of, shortage
from graphldp.experiments.outcomes import Outcome, refusal
from graphldp.learn.batches import PackedGraphs
from graphldp.learn.gin import ModelSpec
from graphldp.learn.metrics import evaluate
from graphldp.learn.selection import split
from graphldp.learn.training import resolve_device
from graphldp.reports import Reports
from graphldp.threats import Verdict, roc
from graphldp.threats.named import make_attack, make_defense
from graphldp.threats.treatments import treat

HUB = 0.25
"""A hub is a user whose true degree exceeds this share of her graph."""

_BYTES_PER_ENTRY = 48  # packed for training, as in draws
_CURVE_POINTS = 80
_HONEST_DEGREE = ", honest d*"
_ATTACK = ("draw", "ratios", "seed", "attack", "fraction", "forge_degree")
_CASE = (*_ATTACK, "defense", "treatment")


def case_params(attack: str, fraction: float) -> dict[str, Any]:
    """An attack as a cell names it; without malicious users all attacks are one."""
    if not fraction:
        return {"attack": None, "fraction": 0.0, "forge_degree": True}
    name = attack.removesuffix(_HONEST_DEGREE)
    return {"attack": name, "fraction": fraction, "forge_degree": name == attack}


def line_name(learner: str, defense: str, treatment: str) -> str:
    """How a line of a figure is called, as in ``"degrees guard-accuracy redraw"``."""
    return " ".join(each for each in (learner, defense, treatment) if each)


def control(cells: Sequence[Cell], context: Context) -> Iterator[list[Outcome]]:
    """Fit the controls on attacked and defended reports: degrees, or lists of bounded influence."""
    from graphldp.learn.controls import DegreeControl
    from graphldp.learn.robust import BoundedControl

    for own in _by_case(cells):
        try:
            reports, numbers = _defended(own[0].params, context)
        except GraphLDPError as error:
            yield [refusal(cell, error) for cell in own]
            continue
        for cell in own:
            params = cell.params
            learn, stop, test = split(reports.labels, params["ratios"], params["seed"])
            model = (BoundedControl if params["learner"] == "bounded" else DegreeControl)(seed=params["seed"])
            model.fit(reports.subset(learn))
            held_out = reports.subset(test)
            scores = evaluate(model.classes_, model.predict_proba(held_out), np.asarray(held_out.labels))
            own_scores = {"accuracy": scores.accuracy, "auc": scores.auc}
            own_scores["val_accuracy"] = model.score(reports.subset(stop))
            yield [Outcome(cell, "done", numbers | own_scores)]


def train(cells: Sequence[Cell], context: Context) -> Iterator[list[Outcome]]:
    """Train models on attacked and defended reports."""
    fitting: list[tuple[Cell, PackedGraphs]] = []
    found: dict[str, dict[str, Any]] = {}
    for own in _by_case(cells):
        try:
            reports, numbers = _defended(own[0].params, context)
        except GraphLDPError as error:
            yield [refusal(cell, error) for cell in own]
            continue
        short = shortage(_BYTES_PER_ENTRY * reports.num_entries, context)
        if short is not None:
            yield [Outcome(cell, "too-large", note=short) for cell in own]
            continue
        classes, codes = np.unique(np.asarray(reports.labels), return_inverse=True)
        deepest = max(cell.params["model"]["layers"] for cell in own)
        spec = ModelSpec(num_classes=len(classes), **(own[0].params["model"] | {"layers": deepest}))
        packed = PackedGraphs.pack(reports.induced(), spec, resolve_device(context.device), codes)
        fitting += [(cell, packed) for cell in own]
        found |= {cell.id: numbers for cell in own}
    for outcomes in train_packed(fitting, context):
        yield [_with(each, found[each.cell.id]) for each in outcomes]


def curve(cells: Sequence[Cell], context: Context) -> Iterator[list[Outcome]]:
    """Detection against false positives, for all honest users and for honest hubs apart."""
    for cell in cells:
        params = cell.params
        try:
            case = _attacked(params, context)
            score = make_defense(params["defense"]).judge(case.reports).score
        except GraphLDPError as error:
            yield [refusal(cell, error)]
            continue
        numbers: dict[str, Any] = {}
        for name, among in (("all", case.attacked), ("hubs", case.attacked & _hubs(params, context))):
            found = roc(score, case.malicious, among & ~case.malicious)
            some = np.unique(np.linspace(0, len(found.detected) - 1, _CURVE_POINTS).astype(int))
            numbers[name] = {
                "area": found.area,
                "false_positives": found.false_positives[some].tolist(),
                "detected": found.detected[some].tolist(),
            }
        yield [Outcome(cell, "done", numbers)]


def _by_case(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells that share attacked and defended reports."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(canonical([cell.params[name] for name in _CASE]), []).append(cell)
    return list(found.values())


@dataclass(frozen=True)
class _Attacked:
    """Attacked reports, who is malicious, and who is in a training graph."""

    reports: Reports
    malicious: NDArray[np.bool_]
    attacked: NDArray[np.bool_]


def _attacked(params: dict[str, Any], context: Context) -> _Attacked:
    return _attack(canonical({name: params[name] for name in _ATTACK}), context)


@lru_cache(maxsize=1)
def _attack(text: str, context: Context) -> _Attacked:
    """Kept until the next one is asked for: several defenses and treatments share it."""
    params = json.loads(text)
    reports = reports_of(Draw.of(params["draw"]), context)
    learn = split(reports.labels, params["ratios"], params["seed"])[0]
    attacked = np.isin(reports.graph_of_user, learn)
    if params["attack"] is None:
        return _Attacked(reports, np.zeros(reports.num_users, np.bool_), attacked)
    attack = make_attack(params["attack"], fraction=params["fraction"], forge_degree=params["forge_degree"])
    malicious = attack.malicious(reports, rng=params["seed"], graphs=learn)
    return _Attacked(attack.apply(reports, rng=params["seed"], graphs=learn), malicious, attacked)


@lru_cache(maxsize=1)
def _judge(text: str, defense: str, context: Context) -> Verdict:
    return make_defense(defense).judge(_attack(text, context).reports)


def _defended(params: dict[str, Any], context: Context) -> tuple[Reports, dict[str, Any]]:
    """The reports after attack and defense, and the rates of detection in the training graphs."""
    case = _attacked(params, context)
    if params["defense"] == "none":
        return case.reports, {}
    verdict = _judge(canonical({name: params[name] for name in _ATTACK}), params["defense"], context)
    honest = case.attacked & ~case.malicious
    hubs = _hubs(params, context)
    numbers = {"false_positives": verdict.rate(honest), "hub_false_positives": verdict.rate(honest & hubs)}
    if case.malicious.any():
        numbers["detected"] = verdict.rate(case.malicious)
    return treat(case.reports, verdict.flagged, params["treatment"], rng=params["seed"]), numbers


def _hubs(params: dict[str, Any], context: Context) -> NDArray[np.bool_]:
    graphs = load(params["draw"]["dataset"], context)
    return np.asarray(graphs.degrees > HUB * np.repeat(graphs.sizes, graphs.sizes))


def _with(outcome: Outcome, numbers: dict[str, Any]) -> Outcome:
    return Outcome(outcome.cell, outcome.status, {**numbers, **outcome.numbers}, outcome.note)
