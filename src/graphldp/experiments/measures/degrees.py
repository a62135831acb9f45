"""Cells about degrees: what noise does to them, and how they differ between classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import GraphLDPError
from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Context, Draw, drawn_bytes, load, reports_of, shortage
from graphldp.experiments.measures.outcomes import CellOutcome, refusal

_POINTS_PER_BIN = 24


def noisy(cells: Sequence[Cell], context: Context) -> Iterator[list[CellOutcome]]:
    """True degree d against the length d̃ of the noisy list: means and deciles in bins of d, and a sample of users."""
    found: dict[Draw, list[Cell]] = {}
    for cell in cells:
        found.setdefault(Draw.of(cell.params["draw"]), []).append(cell)
    for draw, own in found.items():
        graphs = load(draw.dataset, context)
        short = shortage(drawn_bytes(draw, graphs), context)
        if short is not None:
            yield [CellOutcome(cell, "too-large", note=short) for cell in own]
            continue
        try:
            reports = reports_of(draw, context)
        except GraphLDPError as error:
            yield [refusal(cell, error) for cell in own]
            continue
        numbers = _compare(graphs.degrees, reports.degrees)
        yield [CellOutcome(cell, "done", numbers) for cell in own]


def distribution(cells: Sequence[Cell], context: Context) -> Iterator[list[CellOutcome]]:
    """The share of users of each degree, by class."""
    for cell in cells:
        graphs = load(cell.params["dataset"], context)
        label = np.repeat(np.asarray(graphs.labels), graphs.sizes)
        edges = _edges(int(graphs.degrees.max(initial=0)))
        shares = {}
        for each in np.unique(label).tolist():
            counts, _ = np.histogram(graphs.degrees[label == each], edges)
            shares[str(each)] = (counts / counts.sum()).tolist()
        numbers = {"from": edges[:-1].tolist(), "to": (edges[1:] - 1).tolist(), "share": shares}
        yield [CellOutcome(cell, "done", numbers)]


def statistics(cells: Sequence[Cell], context: Context) -> Iterator[list[CellOutcome]]:
    """The columns of the paper's Table 2."""
    for cell in cells:
        yield [CellOutcome(cell, "done", load(cell.params["dataset"], context).statistics())]


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
