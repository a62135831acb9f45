"""The tables of docs/evidence/reproduction.md: what the paper shows, from docs/results/reddit-binary.sqlite."""

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from tools.fill import markdown
from tools.reproduction.places import DIFFERENCE, PLANS, ROWS, difference, point_at, sweep

from graphldp.experiments.cells import canonical
from graphldp.experiments.plans.methods import CONTROLS, METHODS
from graphldp.pages.tables import number, seconds, size

PLAIN = {"layers", "hidden", "dropout"}  # the paper's model, without our options
_PLACES = (
    (canonical(row.cell.params["draw"]), row.cell.params["seed"], row.cell.params["model"]["layers"])
    for row in ROWS.values()
    if row.cell.kind == "accuracy" and set(row.cell.params["model"]) == PLAIN
)
TWICE = {place for place, times in Counter(each[:2] for each in set(_PLACES)).items() if times == 2}


def differences(*others: str) -> str:
    """DPRR minus others, along λ and along ε, and for the controls at ε = 0.2 with public users too."""
    rows = []
    for other in others:
        label = f"DPRR − {METHODS[other].label}"
        places = [("accuracy-lambda", x, f"ε = 1, λ = {x:g}") for x in (0, 0.1, 0.2, 0.5)]
        places += [("accuracy-epsilon", x, f"ε = {x:g}, λ = 0") for x in (0.2, 0.5, 2)]
        for experiment, x, where in places:
            one, two = point_at(experiment, "dprr", x), point_at(experiment, other, x)
            if one and two:
                rows.append(difference(where, label, one, two))
        for x in (0.7, 0.9) if other in CONTROLS else ():
            one, two = (point_at("allocation", each, x, "λ = 0.5") for each in ("dprr", other))
            if one and two:
                rows.append(difference(f"ε = 0.2, λ = 0.5, α = {x:g}", label, one, two))
    return markdown(DIFFERENCE, rows)


def allocation() -> str:
    """The paper's split against the fixed one where they differ, and a small ε against a larger one."""
    rows = []
    for panel, x in product(("λ = 0", "λ = 0.5"), (0.8, 0.9)):
        one, two = (point_at("allocation", each, x, panel) for each in ("dprr", "dprr-fixed"))
        if one and two:
            rows.append(difference(f"ε = 0.2, {panel}, α = {x:g}", "paper's split − fixed split", one, two))
    for panel, x, series in (("λ = 0", 0.0, "dprr"), ("λ = 0", 0.0, "dprr-fixed"), ("λ = 0.5", 0.5, "dprr")):
        one, two = point_at("allocation", series, 0.9, panel), point_at("accuracy-lambda", "dprr", x)
        if one and two:
            split = "fixed" if series == "dprr-fixed" else "paper's"
            rows.append(difference(f"{panel}, α = 0.9", f"ε = 0.2, {split} split − ε = 1", one, two))
    return markdown(DIFFERENCE, rows)


def both_depths(params: dict[str, Any]) -> bool:
    """Whether the same draw and seed was trained with 3 and with 5 layers."""
    return (canonical(params["draw"]), params["seed"]) in TWICE


def layers() -> str:
    """Validation and test accuracy with 3 and 5 layers over all draws of the first three seeds."""
    values: dict[str, dict[int, list[tuple[float, float]]]] = {}
    for row in ROWS.values():
        params = row.cell.params
        if row.cell.kind == "accuracy" and params["seed"] < 3 and set(params["model"]) == PLAIN and both_depths(params):
            own = values.setdefault(params["draw"]["mechanism"], {3: [], 5: []})[params["model"]["layers"]]
            own.append((row.numbers["val_accuracy"], row.numbers["accuracy"]))
    rows = []
    for method in (each for each in METHODS if each in values and values[each][3]):
        three, five = (np.mean(values[method][count], axis=0) for count in (3, 5))
        means = [f"{v:.3f}" for v in (three[0], five[0], three[1], five[1])]
        rows.append([METHODS[method].label, str(len(values[method][3])), *means])
    columns = ["validation, 3 layers", "validation, 5 layers", "test, 3 layers", "test, 5 layers"]
    return markdown(["", "trainings each", *columns], rows)


def layers_lambda() -> str:
    """Validation accuracy of DPRR at ε = 1 on the first three seeds, along λ."""
    values: dict[tuple[int, float], list[float]] = {}
    for params, numbers in ((r.cell.params, r.numbers) for r in ROWS.values() if r.cell.kind == "accuracy"):
        draw = params["draw"]
        plain = draw["mechanism"] == "dprr" and set(params["model"]) == PLAIN
        if plain and draw["epsilon"] == 1 and params["seed"] < 3 and both_depths(params):
            key = params["model"]["layers"], draw["public_fraction"]
            values.setdefault(key, []).append(numbers["val_accuracy"])
    shares = sorted({share for _, share in values})
    rows = [[f"{n} layers", *(f"{np.mean(values[n, each]):.3f}" for each in shares)] for n in (3, 5)]
    return markdown(["DPRR, validation", *(f"λ = {each:g}" for each in shares)], rows)


def degrees() -> str:
    """The table of what becomes of degrees."""
    rows = []
    for point in (p for p in PLANS["degrees"] if p.series in METHODS):
        n = point.numbers[0]
        means = [number(n[each]) or "" for each in ("mean_true", "mean_noisy", "mean_absolute_error")]
        rows.append([METHODS[point.series].label, *means, f"{n['empty_lists']:.1%}"])
    return markdown(["", "mean d", "mean d̃", "mean of the absolute error", "empty lists"], rows)


def degree_bins() -> str:
    """Mean length of the noisy list by true degree."""
    series = [p for p in PLANS["degrees"] if p.series in METHODS]
    bins = [{each["from"]: each for each in p.numbers[0]["bins"]} for p in series]
    starts, rows = list(bins[0]), []
    for low, following in zip(starts, [*starts[1:], None], strict=True):
        if low in (1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048):
            last = following - 1 if following else low
            name = f"{low}" if last == low and following else f"{low} to {last}" if following else f"{low} or more"
            shown = [f"{b[low]['noisy']:.1f} ({b[low]['p10']:.0f} to {b[low]['p90']:.0f})" for b in bins]
            rows.append([name, f"{bins[0][low]['users']:,}", f"{bins[0][low]['true']:.1f}", *shown])
    return markdown(["true degree", "users", "mean d", *(f"{METHODS[p.series].label}: mean d̃" for p in series)], rows)


def dataset() -> str:
    """The line of Table 2."""
    numbers = PLANS["table-datasets"][0].numbers[0]
    return markdown([each.replace("_", ", ") for each in numbers], [[number(each) or "" for each in numbers.values()]])


def complexity() -> str:
    """The rows of Table 1, measured."""
    if "table-complexity" not in PLANS:
        return "Not in the results yet: it is timed, and needs a machine with nothing beside it."
    columns = {"user_seconds": seconds, "user_bytes": size, "server_seconds": seconds, "server_bytes": size}
    rows = []
    for point in PLANS["table-complexity"]:
        numbers = point.numbers[0] if point.numbers else {}
        shown = [show(numbers[key]) if key in numbers else "–" for key, show in columns.items()]
        rows.append([METHODS[point.series].label, number(point.x) or "", *shown])
    return markdown(
        ["", "n", "time of one user", "her noisy list", "time of the server", "noisy lists on the server"], rows
    )


TABLES: dict[str, Callable[[], str]] = {
    "dataset": dataset,
    "layers": layers,
    "layers-lambda": layers_lambda,
    "lambda-accuracy": lambda: sweep("accuracy-lambda", "accuracy", "λ"),
    "lambda-auc": lambda: sweep("accuracy-lambda", "auc", "λ"),
    "epsilon-accuracy": lambda: sweep("accuracy-epsilon", "accuracy", "ε"),
    "epsilon-auc": lambda: sweep("accuracy-epsilon", "auc", "ε"),
    "baselines": lambda: differences("rr", "local-lap", "nonpriv-part", "nonpriv-full"),
    "controls": lambda: differences("size-control", "degree-control"),
    "allocation-common": lambda: sweep("allocation", "accuracy", "α", "λ = 0"),
    "allocation-customized": lambda: sweep("allocation", "accuracy", "α", "λ = 0.5"),
    "allocation-difference": allocation,
    "central": lambda: sweep("central", "accuracy", "ε"),
    "degrees": degrees,
    "degree-bins": degree_bins,
    "complexity": complexity,
}
