"""Fill the tables of docs/evidence/poisoned-lists.md and docs/concepts/liars.md: python -m tools.liars.threats [ROOT].

With the folder of the datasets as its argument the three tables that are probes of honest reports, not results, are
drawn again too.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tools.fill import DOCS, fill, markdown
from tools.liars.users import node_liars
from tools.liars.witnesses import withstood

import graphldp as gl
from graphldp.experiments.plans.adversaries import CURVES, DegreeForgery, Line, Panel, Poisoning, line_name
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.summary import Point, points_of
from graphldp.experiments.trials.cases import HUB
from graphldp.pages.sections import forgery
from graphldp.pages.sections.poisoning import defense_name, panel_tables, recovered
from graphldp.threats import Poison
from graphldp.threats.defenses.evidence import Columns
from graphldp.threats.defenses.law import BINS, Population, Sampling, bins

PAGES = (DOCS / "evidence" / "poisoned-lists.md", DOCS / "concepts" / "liars.md")
ATTACKS = ("random", "all-ones", "mimicry", "clique", "target", "frame", "all-zeros")
ACCURACY, GUARANTEE = ("degrees", "guard-accuracy", "redraw"), ("degrees", "guard-guarantee", "redraw")
SEEDS = 5  # of the probes
Points = dict[tuple[str, str, float | None], Point]


def panel_of(experiment: str, name: str) -> Panel:
    """A panel by its name."""
    spec = EXPERIMENTS[experiment]
    assert isinstance(spec, Poisoning)  # noqa: S101
    return next(panel for panel in spec.panels if panel.name == name)


def shown(points: Points, experiment: str, name: str, what: str) -> str:
    """One of the tables of a panel, as the report page has it."""
    panel = panel_of(experiment, name)
    tables = dict(panel_tables(panel, [point for point in points.values() if point.panel == name]))
    return markdown([what, *(f"β = {x:g}" for x in panel.fractions)], tables.get(what, []))


def mean(points: Points, panel: str, line: Line, x: float, name: str) -> str | None:
    """The mean over seeds of one number."""
    point = points.get((panel, line_name(*line), x))
    found = None if point is None else point.summary(name)
    if found is None:
        return None
    return f"{found.mean:.3f}" if name in ("accuracy", "detected", "detected_long") else f"{found.mean:.2%}"


def defended(points: Points) -> str:
    """What the accuracy point recovers and flags under the paper's attacks."""
    rows: list[list[str | None]] = []
    for attack in ("random", "all-ones"):
        own = {(series, x): point for (panel, series, x), point in points.items() if panel == attack}
        for x in panel_of("poisoning-beyond", attack).fractions:
            row: list[str | None] = [attack if x else "no attack", f"{x:g}"]
            for learner in ("gin", "degrees"):
                lines: tuple[Line, ...] = (learner, "none", ""), (learner, "guard-accuracy", "redraw")
                share = recovered(own, lines[1], x)
                row += [mean(points, attack, line, x, "accuracy") for line in lines]
                row.append(None if share is None else f"{share:.2f}")
            row += [mean(points, attack, ACCURACY, x, name) for name in ("detected", "false_positives")]
            if x or attack == "random":
                rows.append([*row, mean(points, attack, ACCURACY, x, "hub_false_positives")])
    head = ["attack", "β", "GIN", "defended", "recovered", "degrees", "defended", "recovered"]
    return markdown([*head, "malicious users flagged", "honest users flagged", "honest hubs flagged"], rows)


def rates(points: Points, attacks: Sequence[str], line: Line) -> str:
    """The table of who is flagged, attack by attack."""
    names = ("detected", "detected_long", "false_positives", "hub_false_positives")
    rows: list[list[str | None]] = []
    for attack in attacks:
        for x in panel_of("poisoning-beyond", attack).fractions:
            if x or attack == attacks[0]:
                rates = [mean(points, attack, line, x, name) for name in names]
                rows.append([attack if x else "no attack", f"{x:g}", *rates])
    head = ["attack", "β", "malicious users", "of these, lists longer than n/4", "honest users", "honest hubs"]
    return markdown(head, rows)


def accuracies(points: Points) -> str:
    """Accuracy of the degree control and of the robust model under each attack."""
    lines: tuple[Line, ...] = ("degrees", "none", ""), ACCURACY, GUARANTEE, ("bounded", "none", "")
    rows: list[list[str | None]] = []
    for attack in ATTACKS[2:]:
        for x in panel_of("poisoning-beyond", attack).fractions:
            if x or attack == ATTACKS[2]:
                row = [mean(points, attack, line, x, "accuracy") for line in lines]
                rows.append([attack if x else "no attack", f"{x:g}", *row])
    names = [defense_name(line[1]) for line in lines[:3]]
    return markdown(["attack", "β", *names, "bounded influence, no defense"], rows)


def areas(points: Points) -> str:
    """The areas under the detection curves."""
    rows: list[list[str | None]] = []
    for attack in ATTACKS:
        own = {series: p for (panel, series, x), p in points.items() if panel == attack and x is None and p.numbers}
        if own:
            row = [f"{point.numbers[0][among]['area']:.3f}" for point in own.values() for among in ("all", "hubs")]
            rows.append([attack, f"{panel_of('poisoning-beyond', attack).curve:g}", *row])
    heads = [f"{defense_name(name)}: {among}" for name in CURVES for among in ("all honest users", "hubs")]
    return markdown(["attack", "β", *heads], rows)


def forged(points: Points) -> str:
    """A table of what attacks on degrees leave of the recipe's accuracy: one user lies, or a tenth."""
    spec, rows = _forgery(), dict[str, list[str | None]]()
    head = ["attack"]
    for where, columns in (("test", (1, 2)), ("train", (2,))):
        for epsilon, panels in spec.settings[: None if where == "test" else 1]:
            found = forgery.points_at(list(points.values()), epsilon)
            names, table = forgery.accuracies(panels, found, where)
            head += [f"{names[each]}, ε = {epsilon:g}" for each in columns]
            width = len(head) - len(columns)
            for name, *cells in table:
                row = rows.setdefault(str(name), [])
                row += [None] * (width - 1 - len(row)) + [cells[each - 1] for each in columns]
    return markdown(head, [[name, *row, *[None] * (len(head) - 1 - len(row))] for name, row in rows.items()])


def trusted(points: Points) -> str:
    """The table of what the recipe learns from trusted graphs alone."""
    return markdown(*forgery.by_trust(_forgery(), list(points.values())))


def _forgery() -> DegreeForgery:
    spec = EXPERIMENTS["poisoning-recipe"]
    assert isinstance(spec, DegreeForgery)  # noqa: S101
    return spec


FORGED: dict[str, Callable[[Points], str]] = {"forged": forged, "trusted": trusted}
"""Tables of the experiment about the recipe, on the page about liars."""

TABLES: dict[str, Callable[[Points], str]] = FORGED | {
    "node-liars": lambda _: node_liars(),
    "paper-all-ones": lambda p: shown(p, "poisoning", "all-ones", "accuracy"),
    "paper-random": lambda p: shown(p, "poisoning", "random", "accuracy"),
    "defended": defended,
    "guarantee": lambda p: rates(p, ATTACKS[:2], GUARANTEE),
    "treatments-gin": lambda p: shown(p, "poisoning-beyond", "random, what becomes of flagged users, GIN", "accuracy"),
    "treatments": lambda p: shown(p, "poisoning-beyond", "random, what becomes of flagged users, degrees", "accuracy"),
    "beyond-accuracy": lambda p: rates(p, ATTACKS[2:], ACCURACY),
    "beyond-guarantee": lambda p: rates(p, ATTACKS[2:], GUARANTEE),
    "beyond-models": accuracies,
    "areas": areas,
    "witnesses": lambda _: withstood(),
}


def fill_page(page: Path, results: Path, probes: dict[str, Callable[[], str]] | None = None) -> None:
    """Write the tables into the page.

    Args:
        page: where they stand.
        results: a results file.
        probes: tables that do not come from it.
    """
    with ResultsFile(results, create=False) as table:
        rows = table.rows()
        plans = {plan.experiment: points_of(plan, rows) for plan in table.plans()}
    recipe, beyond, paper = (
        {(p.panel, p.series, p.x): p for p in plans.get(name, [])}
        for name in ("poisoning-recipe", "poisoning-beyond", "poisoning")
    )
    made = dict(probes or {})
    for name, make in TABLES.items():
        made[name] = partial(make, recipe if name in FORGED else paper if name.startswith("paper-") else beyond)
    fill(page, made)


def quarter(graphs: gl.GraphSet) -> str:
    """The table of what "flag every list longer than n/4" would do."""
    found = np.zeros(3)
    n = np.repeat(graphs.sizes, graphs.sizes)
    for seed in range(SEEDS):
        reports, attack = gl.DPRR(epsilon=1.0).randomize(graphs, rng=seed), Poison.random(fraction=0.3)
        malicious = attack.malicious(reports, rng=seed)
        long = attack.apply(reports, rng=seed).degrees > n / 4
        groups = malicious, ~malicious, ~malicious & (graphs.degrees > HUB * n)
        found += [long[group].mean() / SEEDS for group in groups]
    return markdown(["malicious users", "honest users", "honest hubs"], [[f"{each:.1%}" for each in found]])


def law(graphs: gl.GraphSet) -> str:
    """Honest users by the share of the graph on their lists: the law's number and the counted one, per graph."""
    some = graphs.subset(np.flatnonzero((graphs.sizes >= 200) & (graphs.sizes < 500)))
    expected, counted = np.zeros(BINS), np.zeros(BINS)
    for seed in range(SEEDS):
        reports = gl.DPRR(epsilon=1.0, n_max=graphs.n_max).randomize(some, rng=seed)
        sampling = Sampling.of(reports, gl.DPRR)
        laws, kind = sampling.classes()
        expected += np.bincount(kind) @ Population.of(laws).joint.sum(axis=1) / (SEEDS * len(some))
        counted += np.bincount(bins(reports.degrees, sampling.n), minlength=BINS) / (SEEDS * len(some))
    heads = [f"to {b + 1}/{BINS}" for b in range(BINS - 4)]
    rows = [[name, *(f"{v:.3g}" for v in row[: BINS - 4])] for name, row in (("law", expected), ("counted", counted))]
    return markdown(["users per graph with a list of", *heads], rows)


def columns(graphs: gl.GraphSet) -> str:
    """The table of how often honest hubs are listed, against the law."""
    n = np.repeat(graphs.sizes, graphs.sizes).astype(np.float64)
    sums: dict[str, list[NDArray[np.float64]]] = {}
    for seed in range(SEEDS):
        reports = gl.DPRR(epsilon=1.0).randomize(graphs, rng=seed)
        laws, kind = Sampling.of(reports, gl.DPRR).classes()
        population = Population.of(laws)
        own = population.joint.swapaxes(1, 2)[kind, bins(reports.degrees, n)]
        degree = (own * population.share[kind]).sum(axis=1) / np.maximum(own.sum(axis=1), 1e-300) * (n - 1)
        seen = Columns.of(reports, gl.DPRR, np.ones(reports.num_users, np.bool_), degree)
        share = graphs.degrees / np.maximum(n - 1, 1)
        mean = seen.base + seen.slope * share
        variance = mean + share * (1 - share) * seen.spread
        for name, group in (("n ≤ 200", n <= 200), ("n > 200", n > 200)):
            hubs = group & (graphs.degrees > HUB * n)
            sums.setdefault(name, []).append(np.stack((seen.count, mean, variance))[:, hubs])
    rows = []
    for name, parts in sums.items():
        count, mean, variance = np.concatenate(parts, axis=1)
        ratio = ((count - mean) ** 2).mean() / variance.mean()
        rows.append([name, f"{len(count):,}", f"{count.mean():.2f}", f"{mean.mean():.2f}", f"{ratio:.2f}"])
    return markdown(["hubs in graphs of", "hubs, all draws", "listed, mean", "law", "variance over the law's"], rows)


PROBES: dict[str, Callable[[gl.GraphSet], str]] = {"quarter": quarter, "law": law, "columns": columns}


def main() -> None:
    """Fill both pages."""
    probes: dict[str, Callable[[], str]] = {}
    if len(sys.argv) > 1:
        graphs = gl.load_dataset("REDDIT-BINARY", root=sys.argv[1])
        probes |= {name: partial(make, graphs) for name, make in PROBES.items()}
    for page in PAGES:
        fill_page(page, DOCS / "results" / "reddit-binary.sqlite", probes)


if __name__ == "__main__":
    main()
