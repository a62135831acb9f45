"""The pictures and tables of docs/evidence/recipe.md and README: the recipe, peers, controls and no privacy."""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

from tools.fill import markdown
from tools.reproduction.places import DIFFERENCE, HERE, PLANS, difference, point_at, sweep

from graphldp.experiments.plans.methods import METHODS, NOT_PRIVATE, RAW
from graphldp.pages.plots import Axis, Series, chart
from graphldp.pages.tables import ends
from graphldp.privacy.hubs import COUNTS_FROM, LISTS_ABOVE

COUNTS, LISTS = (json.loads((HERE / f"{name}-settings.json").read_text()) for name in ("hub", "list"))


def picture(experiment: str, ceilings: str, panel: str = "") -> str:
    """Accuracy against ε of what matters most, with intervals."""
    keys, values = ("recipe", "degree-control", "blink-hybrid", "dprr", "size-control", "raw-recipe"), (0.2, 0.5, 1, 2)
    lines = []
    for key in keys:
        place = (ceilings, "") if key == "raw-recipe" else (experiment, panel)
        points = [(x, point_at(place[0], key, x, place[1])) for x in values]
        known = [(x, p.summary("accuracy"), p.x) for x, p in points if p]
        bars = [(x, s.mean, ends(s)) for x, s, _ in known if s]
        lines.append(Series(key, METHODS[key].label, bars, across=known[0][2] is None))
    return chart(lines, Axis("ε", "places", values), Axis("accuracy"), "Accuracy against ε")


def against_the_recipe(experiment: str, panel: str = "") -> str:
    """The recipe minus every other line, seed by seed."""
    points = [p for p in PLANS[experiment] if p.panel == panel and p.numbers]
    rows = []
    for x in (0.2, 0.5, 1.0, 2.0):
        recipe = point_at(experiment, "recipe", x, panel)
        where = ", ".join(each for each in (f"ε = {x:g}", panel) if each)
        for series in dict.fromkeys(p.series for p in points if p.series not in ("recipe", *NOT_PRIVATE)):
            other = point_at(experiment, series, x, panel)
            if recipe and recipe.numbers and other and other.numbers:
                rows.append(difference(where, f"the recipe − {METHODS[series].label}", recipe, other))
    return markdown(DIFFERENCE, rows)


def lists() -> str:
    """Lists from hubs minus no lists, seed by seed."""
    rows = []
    for panel, x in product(("λ = 0", "λ = 0.2"), (0.5, 1.0, 1.5, 2.0, 3.0)):
        one, two = (point_at("lists", each, x, panel) for each in ("profile-hub-lists", "profile-degrees"))
        if one and two:
            rows.append(difference(f"ε = {x:g}, {panel}", "lists from hubs − none", one, two))
    return markdown(DIFFERENCE, rows)


def rounds(*experiments: str, lines: tuple[str, ...] = ("two-rounds", "two-rounds-away-30")) -> str:
    """Two rounds minus one, seed by seed, with all hubs and with some who stay away."""
    rows = []
    for experiment, panel, x in product(experiments, ("λ = 0", "λ = 0.2"), (0.2, 0.5, 1.0, 2.0)):
        one = point_at(experiment, "recipe", x, panel)
        for series in lines:
            two = point_at(experiment, series, x, panel)
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
            point = point_at(*place, x, "" if experiment.startswith("ceilings") else "λ = 0")
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
            point = point_at(experiment, series, 1.0)
            s = point.summary("accuracy") if point else None
            if point and s:
                seeds = [each["accuracy"] for each in point.numbers]
                span = f"{min(seeds):.3f} to {max(seeds):.3f}"
                where = experiment.removeprefix("ceilings").removeprefix("unseen").strip()
                rows.append([where, METHODS[series].label, f"{s.mean:.3f} ± {s.std:.3f}", span, str(s.count)])
    return markdown(["dataset", "", "accuracy", "seeds from … to", "seeds"], rows)


PICTURES: dict[str, Callable[[], str]] = {
    "reddit-binary": lambda: picture("beyond", "ceilings REDDIT-BINARY", "λ = 0"),
    "unseen": lambda: picture("unseen reddit_threads_10k", "unseen reddit_threads_10k"),
}
TABLES: dict[str, Callable[[], str]] = {
    "gain": gain,
    "beyond-private": lambda: sweep("beyond", "accuracy", "ε", "λ = 0"),
    "beyond-public": lambda: sweep("beyond", "accuracy", "ε", "λ = 0.2"),
    "recipe-private": lambda: against_the_recipe("beyond", "λ = 0"),
    "recipe-public": lambda: against_the_recipe("beyond", "λ = 0.2"),
    "lists-difference": lists,
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
    "recipe-imdb": lambda: against_the_recipe("IMDB-BINARY"),
    "threads": lambda: sweep("synthetic:threads", "accuracy", "ε"),
    "recipe-threads": lambda: against_the_recipe("synthetic:threads"),
    "ingredients": lambda: sweep("ingredients", "accuracy", "ε"),
}
