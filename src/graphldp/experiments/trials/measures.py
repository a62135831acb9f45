"""Cells that are no trial: statistics, degrees, detection and confidence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.experiments.cells import Cell, Row
from graphldp.experiments.draws import Context, Draw, check_memory, drawn_bytes, load, reports_of
from graphldp.experiments.trial import Trial
from graphldp.experiments.trials import running
from graphldp.experiments.trials.cases import attacked, defended
from graphldp.learn.calibration import Reliability, reliability
from graphldp.learn.metrics import codes_of
from graphldp.threats import roc
from graphldp.threats.named import make_defense

_POINTS_PER_BIN = 24


def degrees(cell: Cell, context: Context) -> Row:
    """True degree d against the length d̃ of the noisy list: means and deciles in bins of d, and a sample of users."""
    draw = Draw.of(cell.params["draw"])
    graphs = load(draw.dataset, context)
    check_memory(drawn_bytes(draw, graphs), context)
    return Row(cell, "done", _compare(graphs.degrees, reports_of(draw, context).degrees))


def distribution(cell: Cell, context: Context) -> Row:
    """The share of users of each degree, by class."""
    graphs = load(cell.params["dataset"], context)
    label = np.repeat(np.asarray(graphs.labels), graphs.sizes)
    edges = _edges(int(graphs.degrees.max(initial=0)))
    shares = {}
    for each in np.unique(label).tolist():
        counts, _ = np.histogram(graphs.degrees[label == each], edges)
        shares[str(each)] = (counts / counts.sum()).tolist()
    return Row(cell, "done", {"from": edges[:-1].tolist(), "to": (edges[1:] - 1).tolist(), "share": shares})


def dataset(cell: Cell, context: Context) -> Row:
    """The columns of the paper's Table 2."""
    return Row(cell, "done", load(cell.params["dataset"], context).statistics())


def _compare(true: NDArray[np.int64], noisy: NDArray[np.int64]) -> dict[str, Any]:
    edges = _edges(int(true.max(initial=0)))
    place = np.searchsorted(edges, true, side="right") - 1
    order = np.argsort(place, kind="stable")
    cuts = np.searchsorted(place[order], np.arange(len(edges)))
    rng = np.random.default_rng(0)
    bins, points = [], []
    for low, start, stop in zip(edges[:-1].tolist(), cuts[:-1], cuts[1:], strict=True):
        users = order[start:stop]
        if not len(users):
            continue
        tenth, half, last = np.quantile(noisy[users], (0.1, 0.5, 0.9)).tolist()
        means = {"true": float(true[users].mean()), "noisy": float(noisy[users].mean())}
        bins.append({"from": low, "users": len(users), "p10": tenth, "p50": half, "p90": last} | means)
        some = rng.permutation(users)[:_POINTS_PER_BIN]
        points += np.stack((true[some], noisy[some]), axis=1).tolist()
    return {
        "bins": bins,
        "points": points,
        "mean_true": float(true.mean()),
        "mean_noisy": float(noisy.mean()),
        "empty_lists": float((noisy == 0).mean()),
        "mean_absolute_error": float(np.abs(noisy - true).mean()),
    }


def _edges(largest: int) -> NDArray[np.int64]:
    """0, 1, 2, 3, 4, 6, 8, 12, 16, … up to beyond the largest."""
    steps = [0, 1, 2, 3]
    while steps[-1] <= largest:
        steps.append(steps[-2] * 2 if len(steps) > 3 else 4)
    return np.array(steps)


_CURVE_POINTS = 80
_ALL_SCORES = 0.99  # the guarantee point computes p-values as far as this θ


def detection(cell: Cell, context: Context) -> Row:
    """Detection against false positives, for all honest users and for honest hubs apart."""
    case = attacked(Trial.of(cell), context)
    score = make_defense(cell.params["defense"], theta=_ALL_SCORES).judge(case.reports).score
    numbers: dict[str, Any] = {}
    honest = case.inside & ~case.malicious
    for name, among in (("all", honest), ("hubs", honest & case.hubs)):
        found = roc(score, case.malicious, among)
        way = found.false_positives + found.detected  # even steps along the curve, from 0 to 2
        some = np.unique(np.searchsorted(way, np.linspace(0, way[-1], _CURVE_POINTS)))
        numbers[name] = {
            "area": found.area,
            "false_positives": found.false_positives[some].tolist(),
            "detected": found.detected[some].tolist(),
        }
    return Row(cell, "done", numbers)


_CHOICE = ("accuracy", "val_accuracy", "val_loss")


def calibration(cell: Cell, context: Context) -> Row:
    """Run the trial of the cell, and compare confidences with outcomes, before and after calibration."""
    from graphldp.learn.nodes.classifier import NodeClassifier  # needs scikit-learn, which a far machine may lack

    trial = Trial.of(cell)
    ((found,),) = running.run([trial], context)
    classifier = running.classifier_of(found) if found.status == "done" else None
    if classifier is None or isinstance(classifier, NodeClassifier):
        return Row(cell, found.status, note=found.note)
    reports = defended(trial, context).reports
    test = reports.subset(trial.parts(reports.labels)[2])
    codes, own = codes_of(classifier.classes_, np.asarray(test.labels)), classifier.uncalibrated(test)
    before, after = reliability(own, codes), reliability(classifier.calibration_.apply(own), codes)
    numbers: dict[str, Any] = {name: found.numbers[name] for name in _CHOICE if name in found.numbers}
    numbers |= {"uncalibrated": _table(before), "calibrated": _table(after)}
    numbers |= {"temperature": classifier.calibration_.temperature, "held_out": classifier.calibration_.graphs}
    return Row(cell, "done", numbers, seconds=found.seconds)


def _table(found: Reliability) -> dict[str, list[float]]:
    return {"count": found.count.tolist(), "sure": found.sure.tolist(), "right": found.right.tolist()}
