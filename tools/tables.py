"""Fill the tables of docs and README from the results in docs/results: python tools/tables.py.

With the folder of the datasets as its argument the one table that is not in the results, a probe of list lengths, is
drawn again too.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from fill import DOCS, fill, markdown
from scipy.stats import spearmanr
from searches import TABLES as SEARCHES

from graphldp.experiments.cells import canonical
from graphldp.experiments.draws import Context, Draw, load, reports_of
from graphldp.experiments.plans.methods import CONTROLS, METHODS, NOT_PRIVATE, RAW
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.summary import Point, paired, points_of
from graphldp.learn.metrics import summarize
from graphldp.pages.tables import number, seconds, size
from graphldp.privacy.hubs import COUNTS_FROM, LISTS_ABOVE

HERE = DOCS / "results"
PAGES = (DOCS / "reproduction.md", DOCS / "beyond.md", DOCS.parent / "README.md")
PLAIN = {"layers", "hidden", "dropout"}  # the paper's model, without our options
with ResultsFile(HERE / "reddit-binary.sqlite", create=False) as _results:
    ROWS = _results.rows()
    PLANS = {plan.experiment: points_of(plan, ROWS) for plan in _results.plans()}
with ResultsFile(HERE / "elsewhere.sqlite", create=False) as _results:
    PLANS |= {
        plan.dataset if plan.experiment == "elsewhere" else f"{plan.experiment} {plan.dataset}": points_of(
            plan, _results.rows()
        )
        for plan in _results.plans()
    }
COUNTS, LISTS = (json.loads((HERE / f"{name}-settings.json").read_text()) for name in ("hub", "list"))


_PLACES = (
    (canonical(row.cell.params["draw"]), row.cell.params["seed"], row.cell.params["model"]["layers"])
    for row in ROWS.values()
    if row.cell.kind == "accuracy" and set(row.cell.params["model"]) == PLAIN
)
TWICE = {place for place, times in Counter(each[:2] for each in set(_PLACES)).items() if times == 2}


def found(experiment: str, series: str, x: float, panel: str = "") -> Point | None:
    """A place of a figure; a line across the figure is at every x."""
    places = {(p.panel, p.series, p.x): p for p in PLANS[experiment]}
    return places.get((panel, series, x)) or places.get((panel, series, None))


def sweep(experiment: str, name: str, symbol: str, panel: str = "") -> str:
    """Mean ± standard deviation of every line at every x."""
    points = [p for p in PLANS[experiment] if p.panel == panel]
    values = list(dict.fromkeys(p.x for p in points if p.x is not None))
    rows = []
    for series in (each for each in METHODS if any(p.series == each for p in points)):
        cells = [METHODS[series]]
        for x in values:
            point = found(experiment, series, x, panel)
            summary = point.summary(name) if point else None
            cells.append(f"{summary.mean:.3f} ± {summary.std:.3f}" if summary else _lacking(point))
        rows.append(cells)
    return markdown([name if name == "accuracy" else "AUC", *(f"{symbol} = {x:g}" for x in values)], rows)


def _lacking(point: Point | None) -> str:
    """Why a place has no number."""
    if point is None:
        return "–"
    return "impossible" if any(note.startswith("impossible: ") for note in point.notes) else "not run"


def difference(where: str, label: str, one: Point, two: Point) -> list[str]:
    """One minus two, seed by seed: both have the same test graphs. Intervals know that splits overlap."""
    cells = [where, label]
    for name in ("accuracy", "auc"):
        gap = paired(one, two, name)
        if gap is None:
            cells += ["–", "–"]
            continue
        s = gap.summary
        shown = f"{s.mean:+.3f} [{s.low:+.3f}, {s.high:+.3f}]".replace("-", "−")
        clear = "" if s.low <= 0 <= s.high else "**"
        cells += [f"{clear}{shown}{clear}", f"{gap.higher} of {s.count}"]
    return cells


DIFFERENCE = ["", "difference", "accuracy", "higher in", "AUC", "higher in"]


def differences(*others: str) -> str:
    """DPRR minus others, along λ and along ε, and for the controls at ε = 0.2 with public users too."""
    rows = []
    for other in others:
        label = f"DPRR − {METHODS[other]}"
        places = [("accuracy-lambda", x, f"ε = 1, λ = {x:g}") for x in (0, 0.1, 0.2, 0.5)]
        places += [("accuracy-epsilon", x, f"ε = {x:g}, λ = 0") for x in (0.2, 0.5, 2)]
        for experiment, x, where in places:
            one, two = found(experiment, "dprr", x), found(experiment, other, x)
            if one and two:
                rows.append(difference(where, label, one, two))
        for x in (0.7, 0.9) if other in CONTROLS else ():
            one, two = (found("allocation", each, x, "λ = 0.5") for each in ("dprr", other))
            if one and two:
                rows.append(difference(f"ε = 0.2, λ = 0.5, α = {x:g}", label, one, two))
    return markdown(DIFFERENCE, rows)


def first_ten(experiment: str) -> str:
    """The recipe and the best control on the first ten splits alone, and on all."""
    rows = []
    for series in ("degree-forest", "recipe"):
        for label, last in (("the first ten", 10), ("all", 1 << 30)):
            cells = [METHODS[series], label]
            for x in (0.2, 0.5, 1.0, 2.0):
                point = found(experiment, series, x)
                pairs = zip(point.chosen, point.numbers, strict=True) if point else ()
                s = summarize([numbers["accuracy"] for cell, numbers in pairs if cell["seed"] < last])
                cells.append(f"{s.mean:.3f} ± {s.std:.3f}")
            rows.append(cells)
    return markdown(["accuracy", "splits", *(f"ε = {x:g}" for x in (0.2, 0.5, 1.0, 2.0))], rows)


def against_the_recipe(experiment: str, panel: str = "") -> str:
    """The recipe minus every other line, seed by seed."""
    points = [p for p in PLANS[experiment] if p.panel == panel and p.numbers]
    rows = []
    for x in (0.2, 0.5, 1.0, 2.0):
        recipe = found(experiment, "recipe", x, panel)
        where = ", ".join(each for each in (f"ε = {x:g}", panel) if each)
        for series in dict.fromkeys(p.series for p in points if p.series not in ("recipe", *NOT_PRIVATE)):
            other = found(experiment, series, x, panel)
            if recipe and recipe.numbers and other and other.numbers:
                rows.append(difference(where, f"the recipe − {METHODS[series]}", recipe, other))
    return markdown(DIFFERENCE, rows)


def lists() -> str:
    """Lists from hubs minus no lists, seed by seed."""
    rows = []
    for panel, x in product(("λ = 0", "λ = 0.2"), (0.5, 1.0, 1.5, 2.0, 3.0)):
        one, two = (found("lists", each, x, panel) for each in ("profile-hub-lists", "profile-degrees"))
        if one and two:
            rows.append(difference(f"ε = {x:g}, {panel}", "lists from hubs − none", one, two))
    return markdown(DIFFERENCE, rows)


def rounds(*experiments: str, lines: tuple[str, ...] = ("two-rounds", "two-rounds-away-30")) -> str:
    """Two rounds minus one, seed by seed, with all hubs and with some who stay away."""
    rows = []
    for experiment, panel, x in product(experiments, ("λ = 0", "λ = 0.2"), (0.2, 0.5, 1.0, 2.0)):
        one = found(experiment, "recipe", x, panel)
        for series in lines:
            two = found(experiment, series, x, panel)
            if one and two:
                label = "two rounds − one" + (", 30 % of hubs away" if series.endswith("30") else "")
                where = experiment.removeprefix("rounds").strip()
                place = ", ".join(filter(None, (where, f"ε = {x:g}", panel)))
                rows.append(difference(place, label, two, one))
    return markdown(DIFFERENCE, rows)


def halves(study: dict[str, Any], part: str = "measured") -> str:
    """Settings chosen on one half, measured on the other, with corrected errors."""
    rows = []
    names = [each for each in study[part][0] if each not in ("epsilon", "gain", "error")]
    for each in study[part]:
        gap = f"{each['gain']:+.3f} ± {each['error']:.3f}".replace("-", "−")
        rows.append([f"{each['epsilon']:g}", *(f"{each[name]:.3f}" for name in names), gap])
    return markdown(["ε", *(name.replace("_", " ") for name in names), "difference ± its corrected error"], rows)


def settings(study: dict[str, Any]) -> str:
    """What was tried on the first half."""
    one, two = (name for name in study["tried"][0] if name != "accuracy")
    tried = {(each[one], each[two]): each["accuracy"] for each in study["tried"]}
    down, across = (sorted({pair[place] for pair in tried}) for place in (0, 1))
    rows = [[f"{a:g}", *(f"{tried[a, b]:.4f}" for b in across)] for a in down]
    return markdown([f"`{one}`", *(f"`{two}` = {b:g}" for b in across)], rows)


def gain() -> str:
    """What a user gains by the recipe at the same ε, everybody private; a mark says where a number needs a word."""
    lines = {
        "the paper's set-up: DPRR and a GIN": ("beyond", "dprr", ""),
        "**`gl.recommended(epsilon)`**": ("beyond", "recipe", "¹"),
        "**`gl.recommended(epsilon, rounds=2)`**": ("rounds", "two-rounds", "²"),
        "n alone": ("beyond", "size-control", ""),
        "no privacy: true lists and the paper's GIN": ("beyond", "nonpriv-full", "³"),
        "no privacy: true lists and the recipe's classifier": ("ceilings REDDIT-BINARY", "raw-recipe", ""),
    }
    values, rows = (0.2, 0.5, 1.0, 2.0), []
    for label, (experiment, series, mark) in lines.items():
        cells = [label]
        for x in values:
            asked = series != "two-rounds" or x >= COUNTS_FROM
            place = (experiment, series) if asked else ("beyond", "recipe")
            point = found(*place, x, "" if experiment.startswith("ceilings") else "λ = 0")
            mean = point.summary("accuracy") if point else None
            said = mark if series == "nonpriv-full" or (asked and series == "two-rounds") or x > LISTS_ABOVE else ""
            cells.append("–" if mean is None else f"{mean.mean:.3f}{said}")
        rows.append(cells)
    return markdown(["accuracy on REDDIT-BINARY", *(f"ε = {x:g}" for x in values)], rows)


def ceilings(*experiments: str) -> str:
    """What can be had without privacy: mean, deviation, and the lowest and the highest seed."""
    rows = []
    for experiment in experiments:
        for series in ("nonpriv-full", *RAW):
            point = found(experiment, series, 1.0)
            s = point.summary("accuracy") if point else None
            if point and s:
                seeds = [each["accuracy"] for each in point.numbers]
                span = f"{min(seeds):.3f} to {max(seeds):.3f}"
                where = experiment.removeprefix("ceilings").removeprefix("unseen").strip()
                rows.append([where, METHODS[series], f"{s.mean:.3f} ± {s.std:.3f}", span, str(s.count)])
    return markdown(["dataset", "", "accuracy", "seeds from … to", "seeds"], rows)


def allocation() -> str:
    """The paper's split against the fixed one where they differ, and a small ε against a larger one."""
    rows = []
    for panel, x in product(("λ = 0", "λ = 0.5"), (0.8, 0.9)):
        one, two = (found("allocation", each, x, panel) for each in ("dprr", "dprr-fixed"))
        if one and two:
            rows.append(difference(f"ε = 0.2, {panel}, α = {x:g}", "paper's split − fixed split", one, two))
    for panel, x, series in (("λ = 0", 0.0, "dprr"), ("λ = 0", 0.0, "dprr-fixed"), ("λ = 0.5", 0.5, "dprr")):
        one, two = found("allocation", series, 0.9, panel), found("accuracy-lambda", "dprr", x)
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
        rows.append([METHODS[method], str(len(values[method][3])), *means])
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
    """What becomes of degrees."""
    rows = []
    for point in (p for p in PLANS["degrees"] if p.series in METHODS):
        n = point.numbers[0]
        means = [number(n[each]) or "" for each in ("mean_true", "mean_noisy", "mean_absolute_error")]
        rows.append([METHODS[point.series], *means, f"{n['empty_lists']:.1%}"])
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
    return markdown(["true degree", "users", "mean d", *(f"{METHODS[p.series]}: mean d̃" for p in series)], rows)


def dataset() -> str:
    """Table 2's line."""
    numbers = PLANS["table-datasets"][0].numbers[0]
    return markdown([each.replace("_", ", ") for each in numbers], [[number(each) or "" for each in numbers.values()]])


def complexity() -> str:
    """Table 1, measured."""
    if "table-complexity" not in PLANS:
        return "Not in the results yet: it is timed, and needs a machine with nothing beside it."
    columns = {"user_seconds": seconds, "user_bytes": size, "server_seconds": seconds, "server_bytes": size}
    rows = []
    for point in PLANS["table-complexity"]:
        numbers = point.numbers[0] if point.numbers else {}
        shown = [show(numbers[key]) if key in numbers else "–" for key, show in columns.items()]
        rows.append([METHODS[point.series], number(point.x) or "", *shown])
    return markdown(
        ["", "n", "time of one user", "her noisy list", "time of the server", "noisy lists on the server"], rows
    )


def lengths(root: str) -> str:
    """Rank correlation of n with a graph's mean list length, one draw each."""
    context = Context(root=root)
    graphs = load("REDDIT-BINARY", context)
    starts = np.cumsum(graphs.sizes) - graphs.sizes
    accuracies: dict[Draw, list[float]] = {}
    for params, numbers in ((r.cell.params, r.numbers) for r in ROWS.values() if r.cell.kind == "accuracy"):
        known = (canonical({**params["draw"], "seed": 0}), 0) in TWICE  # the paper's and the fixed split
        if params["model"]["layers"] == 5 and set(params["model"]) == PLAIN and known:
            accuracies.setdefault(Draw.of({**params["draw"], "seed": 0}), []).append(numbers["accuracy"])
    rows = []
    for draw in sorted(
        (each for each in accuracies if each.mechanism == "dprr" and not each.public_fraction),
        key=lambda each: (each.epsilon or 0.0, each.budget or ()),
    ):
        noisy = reports_of(draw, context).degrees
        rank = spearmanr(np.add.reduceat(noisy, starts) / graphs.sizes, graphs.sizes).statistic
        budget = [f"{each:.3f}" for each in draw.budget or ()]
        rows.append([f"{draw.epsilon:g}", *budget, f"{noisy.mean():.1f}", f"{rank:.2f}"])
        rows[-1].append(f"{np.mean(accuracies[draw]):.3f}")
    return markdown(["ε", "ε₁", "ε₂", "mean d̃", "rank correlation with n", "accuracy at λ = 0"], rows)


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
    "gain": gain,
    "beyond-private": lambda: sweep("beyond", "accuracy", "ε", "λ = 0"),
    "beyond-public": lambda: sweep("beyond", "accuracy", "ε", "λ = 0.2"),
    "recipe-private": lambda: against_the_recipe("beyond", "λ = 0"),
    "recipe-public": lambda: against_the_recipe("beyond", "λ = 0.2"),
    "lists-private": lambda: sweep("lists", "accuracy", "ε", "λ = 0"),
    "lists-public": lambda: sweep("lists", "accuracy", "ε", "λ = 0.2"),
    "lists-difference": lists,
    "rounds-private": lambda: sweep("rounds", "accuracy", "ε", "λ = 0"),
    "rounds-public": lambda: sweep("rounds", "accuracy", "ε", "λ = 0.2"),
    "rounds-difference": lambda: rounds("rounds"),
    "rounds-elsewhere": lambda: rounds("rounds IMDB-BINARY", "rounds reddit_threads_10k", lines=("two-rounds",)),
    "rounds-settings": lambda: settings(COUNTS),
    "rounds-halves": lambda: halves(COUNTS),
    "lists-settings": lambda: settings(LISTS),
    "lists-halves": lambda: halves(LISTS),
    "lists-shipped": lambda: halves(LISTS, "shipped_measured"),
    "ceilings": lambda: ceilings("ceilings REDDIT-BINARY", "unseen reddit_threads_10k"),
    "unseen": lambda: sweep("unseen reddit_threads_10k", "accuracy", "ε"),
    "recipe-unseen": lambda: against_the_recipe("unseen reddit_threads_10k"),
    "fifty": lambda: sweep("REDDIT-BINARY", "accuracy", "ε"),
    "recipe-fifty": lambda: against_the_recipe("REDDIT-BINARY"),
    "imdb": lambda: sweep("IMDB-BINARY", "accuracy", "ε"),
    "imdb-ten": lambda: first_ten("IMDB-BINARY"),
    "recipe-imdb": lambda: against_the_recipe("IMDB-BINARY"),
    "threads": lambda: sweep("synthetic:threads", "accuracy", "ε"),
    "recipe-threads": lambda: against_the_recipe("synthetic:threads"),
    "ingredients": lambda: sweep("ingredients", "accuracy", "ε"),
    **SEARCHES,
}

PROBES: dict[str, Callable[[str], str]] = {"lengths": lengths}


def main() -> None:
    """Write the tables into the pages."""
    tables = dict(TABLES)
    if len(sys.argv) > 1:
        tables |= {name: partial(make, sys.argv[1]) for name, make in PROBES.items()}
    for page in PAGES:
        fill(page, tables)


if __name__ == "__main__":
    main()
