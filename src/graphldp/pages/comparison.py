"""Mechanisms beside each other: a table of what each is worth at each ε, as text, HTML, LaTeX, CSV or a picture."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from graphldp.errors import bad_parameter, extra_named
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.runs.comparison import DEGREES, SIZE, Entry, run_comparison
from graphldp.experiments.summary import Paired, Point, not_beaten, paired, points_of
from graphldp.graphs import GraphSet
from graphldp.learn.metrics import Summary
from graphldp.pages.tables import as_interval, ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

MEASURES = {"accuracy": "accuracy", "auc": "AUC"}
_LATEX = str.maketrans(
    {each: f"\\{each}" for each in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
)
_BESIDE = (SIZE, DEGREES)
_MARKS = "os^DPvX*ph<>"  # matplotlib's names: methods are told apart without colour, too


@dataclass(frozen=True)
class Comparison:
    """The result of :func:`compare`. Shows itself as a table, in a console and in a notebook.

    Args:
        dataset: what the graphs are called.
        setting: what was compared, in words.
        methods: the contestants in their order, then the controls.
        epsilons: at which ε.
        points: what the seeds say of each method at each ε.
    """

    dataset: str
    setting: str
    methods: tuple[str, ...]
    epsilons: tuple[float, ...]
    points: tuple[Point, ...] = field(repr=False)

    @classmethod
    def of(cls, plan: ExperimentPlan, points: Sequence[Point]) -> Comparison:
        """From a plan and what is known of it."""
        epsilons = sorted({entry.x for entry in plan.entries if entry.x is not None})
        name = plan.dataset.removeprefix("file:").partition("@")[0]
        methods = tuple(dict.fromkeys(point.series for point in points))
        return cls(name, plan.effort, methods, tuple(epsilons), tuple(points))

    def point(self, method: str, epsilon: float | None = None) -> Point:
        """The point of a method at an ε; of one that spends none, at any."""
        found = {(each.series, each.x): each for each in self.points}
        point = found.get((method, epsilon)) or found.get((method, None))
        if point is None:
            raise bad_parameter("method", "Comparison", f"one of {', '.join(self.methods)}, at an ε of it", method)
        return point

    def difference(self, method: str, other: str, epsilon: float, measure: str = "accuracy") -> Paired | None:
        """One method minus another, seed by seed, with an interval that knows that splits overlap: a sentence."""
        return paired(self.point(method, epsilon), self.point(other, epsilon), measure)

    def rows(self, against: str | None = None) -> list[dict[str, Any]]:
        """One row for each method and ε.

        Args:
            against: the method that differences are taken to; by default the first.
        """
        base = self._base(against)
        found = []
        for x in self.epsilons or (None,):
            for method in self.methods:
                point = self.point(method, x)
                row: dict[str, Any] = {"method": method, "epsilon": x, "seeds": len(point.numbers)}
                for name in MEASURES:
                    row |= _summary(name, point.summary(name))
                gap = paired(point, self.point(base, x)) if method != base else None
                row |= _summary("difference", None if gap is None else gap.summary)
                row["higher_in"] = None if gap is None else gap.higher
                found.append(row | {"against": base, "note": "; ".join(point.notes)})
        return found

    def to_pandas(self, against: str | None = None) -> DataFrame:
        """:meth:`rows` as a table of pandas."""
        with extra_named("Comparison.to_pandas"):
            from pandas import DataFrame
        return DataFrame(self.rows(against))

    def to_csv(self, path: str | os.PathLike[str] | None = None, against: str | None = None) -> str:
        """:meth:`rows` as CSV: the text, also written to a file where there is a path."""
        rows, text = self.rows(against), io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        if path is not None:
            Path(path).write_text(text.getvalue(), encoding="utf-8")
        return text.getvalue()

    @property
    def about(self) -> str:
        """The facts that a reader must know to judge the numbers."""
        seeds = sorted({len(each.numbers) for each in self.points if each.numbers})
        held = sorted({each.graphs for each in self.points if each.graphs is not None})
        over = f"{_span(seeds)} seeds, each with its own noise and split, {_span(held)} graphs held out in each"
        return (
            f"Means over {over}. Intervals are for 95 %, corrected for splits that overlap (Nadeau & Bengio 2003). "
            f"Marked is what nothing beats clearly at that ε: the interval of its difference to the best has 0 in it. "
            f"Setting: {self.setting}."
        )

    def to_latex(self, measure: str = "accuracy") -> str:
        """A table for a paper, with booktabs' rules and a note below; in bold is what nothing beats clearly."""
        lines = []
        for method, cells in self.ranked(measure):
            shown = [_latex(summary, best) for summary, best in cells]
            lines.append(" & ".join((method.translate(_LATEX), *shown)) + r" \\")
        heads = [rf"$\varepsilon = {x:g}$" for x in self.epsilons] or [MEASURES[measure]]
        head = " & ".join((MEASURES[measure], *heads)) + r" \\"
        frame = "l" + "c" * len(heads)
        about = self.about.replace("Marked", "In bold").translate(_LATEX).replace("ε", r"$\varepsilon$")
        note = rf"\multicolumn{{{len(frame)}}}{{p{{0.95\linewidth}}}}{{\footnotesize {about}}} \\"
        body = "\n".join((r"\toprule", head, r"\midrule", *lines, r"\bottomrule", note))
        return f"\\begin{{tabular}}{{{frame}}}\n{body}\n\\end{{tabular}}\n"

    def plot(self, measure: str = "accuracy", *, ax: Axes | None = None) -> Axes:
        """A picture by matplotlib: means and 95 % intervals at each ε; a method that spends no ε is a line across.

        Args:
            measure: ``"accuracy"`` or ``"auc"``.
            ax: where to draw; by default a new figure.
        """
        self.ranked(measure)
        with extra_named("Comparison.plot"):
            from matplotlib import pyplot
        axes = pyplot.subplots(figsize=(8, 4.2), layout="constrained")[1] if ax is None else ax
        spending = [each for each in self.methods if any(point.x is not None for point in self._at_each(each))]
        for place, method in enumerate(self.methods):
            values = [(at, s) for at, p in enumerate(self._at_each(method)) if (s := p.summary(measure)) is not None]
            style: dict[str, Any] = {"color": f"C{place % 10}", "label": method}
            if values and method not in spending:
                axes.axhline(values[0][1].mean, linestyle="--", **style)
            elif values:
                beside = 0.6 * ((spending.index(method) + 0.5) / len(spending) - 0.5)  # bars stand side by side
                xs, means = [at + beside for at, _ in values], [each.mean for _, each in values]
                bars = [ends(each) or (each.mean, each.mean) for _, each in values]
                lengths = [m - low for m, (low, _) in zip(means, bars, strict=True)]
                rises = [high - m for m, (_, high) in zip(means, bars, strict=True)]
                axes.errorbar(xs, means, (lengths, rises), marker=_MARKS[place % len(_MARKS)], capsize=3, **style)
        title = f"{self.dataset}: means and 95 % intervals"
        axes.set(xlabel="budget ε", ylabel=MEASURES[measure], title=title)
        axes.set_xticks(range(len(self.epsilons)), [f"{x:g}" for x in self.epsilons])
        axes.grid(axis="y", alpha=0.3)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))  # beside the numbers, never on them
        return axes

    def _at_each(self, method: str) -> list[Point]:
        return [self.point(method, x) for x in self.epsilons]

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>ε = {x:g}</th>" for x in self.epsilons) or "<th>accuracy</th>"
        lines = []
        for method, cells in self.ranked("accuracy"):
            shown = "".join(f'<td style="text-align:right">{_html(summary, best)}</td>' for summary, best in cells)
            lines.append(f'<tr><td style="text-align:left">{escape(method)}</td>{shown}</tr>')
        return (
            f"<table><caption>{escape(self.dataset)}: accuracy, 95 % interval</caption>"
            f"<thead><tr><th></th>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
            f"<p>{escape(self.about.replace('Marked', 'In bold'))}</p>"
        )

    def __str__(self) -> str:
        width = max(map(len, self.methods))
        heads = [f"ε = {x:g}" for x in self.epsilons] or ["accuracy"]
        lines = [f"{'':<{width}}  " + "  ".join(f"{each:<22}" for each in heads).rstrip()]
        for method, cells in self.ranked("accuracy"):
            shown = "  ".join(f"{as_interval(summary) + (' *' if best else ''):<22}" for summary, best in cells)
            lines.append(f"{method:<{width}}  {shown}".rstrip())
        return "\n".join([f"{self.dataset}: accuracy, 95 % interval", *lines, fill(f"* {self.about}", 100)])

    def _base(self, against: str | None) -> str:
        if against is not None and against not in self.methods:
            raise bad_parameter("against", "Comparison", f"one of {', '.join(self.methods)}", against)
        return self.methods[0] if against is None else against

    def ranked(self, measure: str) -> list[tuple[str, list[tuple[Summary | None, bool]]]]:
        """Each method's summaries along ε, and whether nothing clearly beats it; what has no privacy is not ranked."""
        if measure not in MEASURES:
            raise bad_parameter("measure", "Comparison", " or ".join(map(repr, MEASURES)), measure)
        columns = []
        for x in self.epsilons or (None,):
            found = {method: self.point(method, x) for method in self.methods}
            best = not_beaten({m: point for m, point in found.items() if point.x is not None or m in _BESIDE}, measure)
            columns.append([(found[each].summary(measure), each in best) for each in self.methods])
        return [(method, [column[place] for column in columns]) for place, method in enumerate(self.methods)]


def compare(
    graphs: GraphSet,
    mechanisms: Mapping[str, Entry],
    epsilon: float | Iterable[float] = 1.0,
    seeds: int = 10,
    *,
    classifier: object = "recommended",
    controls: bool = True,
    public_fraction: float = 0.0,
    split: tuple[float, float, float] | None = None,
    results: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: bool = True,
) -> Comparison:
    """Compare mechanisms on the same splits of the same graphs.

    Every seed draws its own noise, splits the graphs and fits a classifier to the noisy training graphs; its accuracy
    is that on the noisy test graphs. Two methods have the same splits, so their difference is taken seed by seed.
    Splits overlap, so intervals are corrected (Nadeau & Bengio 2003).

    Args:
        graphs: with labels.
        mechanisms: what to compare, each by a name of your choice: a mechanism's class, its name in the table,
            ``"module:Class"`` or ``"file.py:Class"``, a function from ε to a mechanism, or ``"recommended"``.
        epsilon: one ε or several.
        seeds: how many: 0, 1, 2, …
        classifier: ``"recommended"``, ``"gin"``, ``"gcn"``, ``"sage"``, or an unfitted classifier of graphldp. The
            mechanism ``"recommended"`` keeps its own.
        controls: whether what n tells alone, and n with noisy degrees, stand beside.
        public_fraction: λ, the share of public users.
        split: the shares of training, validation and test graphs; by default the dataset's own.
        results: a file for what is finished: run the same again, and it goes on. ``graphldp page`` shows it.
        workers: processes; one for each core in a notebook or a console, else this one alone. A script that asks for
            more must guard its main part, as :mod:`multiprocessing` says.
        device: of networks.
        progress: whether a bar shows what is done, where somebody watches.

    Example::

        found = gl.compare(graphs, {"DPRR": gl.DPRR, "RR": gl.RR, "ours": "recommended"}, epsilon=[0.5, 1, 2])
        print(found)
        found.to_csv("found.csv", against="DPRR")
    """
    plan, rows = run_comparison(
        *(graphs, mechanisms, epsilon, seeds),
        classifier=classifier,
        controls=controls,
        public_fraction=public_fraction,
        ratios=split,
        results=results,
        workers=workers,
        device=device,
        progress=progress,
    )
    return Comparison.of(plan, points_of(plan, rows))


def _summary(name: str, found: Summary | None) -> dict[str, float | None]:
    """A summary as columns; None where there is no number."""
    parts = ("mean", "std", "low", "high")
    values = {part: math.nan if found is None else getattr(found, part) for part in parts}
    shown = {part: None if math.isnan(value) else value for part, value in values.items()}
    return {name if part == "mean" else f"{name}_{part}": value for part, value in shown.items()}


def _span(counts: Sequence[int]) -> str:
    return " to ".join(str(each) for each in dict.fromkeys((counts[0], counts[-1]))) if counts else "no"


def _html(found: Summary | None, best: bool) -> str:
    return f"<b>{as_interval(found)}</b>" if best else as_interval(found)


def _latex(found: Summary | None, best: bool) -> str:
    if found is None:
        return "--"
    mean = rf"\mathbf{{{found.mean:.3f}}}" if best else f"{found.mean:.3f}"
    interval = "" if math.isnan(found.low) else rf"\ [{found.low:.3f}, {found.high:.3f}]"
    return f"${mean}{interval}$"
