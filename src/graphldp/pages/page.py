"""One self-contained HTML page from a results file: figures, the numbers as tables, what was run, what is missing."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from graphldp.datasets.registry import is_the_papers
from graphldp.experiments.cells import RESULTS_VERSION, Row
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import COMPARISON, EVALUATION, RUNS, ExperimentPlan
from graphldp.experiments.plans.scope import EFFORTS
from graphldp.experiments.results import ResultsFile
from graphldp.pages import style
from graphldp.pages.sections.experiments import section_of
from graphldp.pages.sections.training import about_what, run_title
from graphldp.pages.tables import seconds, size, table

# What the page may do: show itself. The page runs no script, so a browser is told to run none and to load nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def make_page(results: ResultsFile) -> tuple[str, dict[str, str]]:
    """The page, and its charts by name.

    Args:
        results: an open results file.

    Raises:
        FormatError: where its rows are not what their experiments give.
    """
    with results.as_planned():
        return _page(results)


def _page(results: ResultsFile) -> tuple[str, dict[str, str]]:
    plans, rows = results.plans(), results.rows()
    plans.sort(key=_place)
    body, contents = [], []
    charts: dict[str, str] = {}
    for plan in plans:
        made = section_of(plan, rows)
        anchor = f"{plan.experiment}-{plan.dataset}-{plan.effort}"
        contents.append(f'<li><a href="#{escape(anchor)}">{escape(_title(plan))}</a></li>')
        figures = "".join(f"<figure><figcaption>{escape(c)}</figcaption>{svg}</figure>" for _, c, svg in made.charts)
        body.append(
            f'<section id="{escape(anchor)}"><h2>{escape(_title(plan))}</h2>'
            f'<p class="soft">{escape(_setting(plan))}</p>{_gaps(plan, rows)}'
            f"{f'<div class=charts>{figures}</div>' if figures else ''}{made.body}</section>"
        )
        charts |= {
            f"{anchor}-{name.removeprefix(plan.experiment).strip('-')}".strip("-"): svg for name, _, svg in made.charts
        }
    used = {entry.cell.id for plan in plans for entry in plan.entries}
    own = {key: row for key, row in rows.items() if key in used}
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>graphldp: {escape(_data(plans))}</title>"
        f"<style>{style.variables()}{style.PICTURE}{style.PAGE}</style></head><body><main>{style.BRAND}{_intro(plans)}"
        f"{_facts(plans, own, results.span())}<nav><ul>{''.join(contents)}</ul></nav>{''.join(body)}"
        f"{_provenance(plans, own)}</main></body></html>"
    )
    return text, charts


def _place(plan: ExperimentPlan) -> tuple[bool, str, int, int]:
    """Graphs before single users, then by dataset; runs in their order, then experiments in theirs."""
    users = about_what(plan) == "users"
    if plan.experiment in RUNS:
        return users, plan.dataset, -1, 0
    return users, plan.dataset, list(EFFORTS).index(plan.effort), list(EXPERIMENTS).index(plan.experiment)


def _data(plans: Sequence[ExperimentPlan]) -> str:
    return ", ".join(dict.fromkeys(plan.dataset for plan in plans)) or "nothing yet"


def _intro(plans: Sequence[ExperimentPlan]) -> str:
    kinds = {plan.experiment for plan in plans}
    if kinds == {EVALUATION}:
        return (
            f"<h1>Evaluations: {escape(_data(plans))}</h1><p>Models that were trained before, and how well they label "
            "graphs whose labels are known. All of these graphs count, also those that a model has learned from.</p>"
        )
    if all(about_what(plan) == "users" for plan in plans):
        return (
            f"<h1>Classes of single users: {escape(_data(plans))}</h1><p>Accuracy is that of test users, whose classes "
            "were held out. Means and 95 % intervals are over seeds: each has its own noise and split. Splits overlap, "
            "and intervals are corrected for that. Models are chosen and mixed on validation users. Controls stand "
            "beside the mechanisms: what public features tell without any friend.</p>"
        )
    figures = not kinds <= set(RUNS)
    paper = figures and all(is_the_papers(plan.dataset) for plan in plans if plan.experiment not in RUNS)
    comparisons = "Mechanisms compared" if figures or COMPARISON in kinds else "Training runs"
    title = "Degree-preserving randomized response, reproduced" if paper else comparisons
    about = "Tables and figures of Hidano and Murakami's paper, computed by graphldp. " if paper else ""
    rest = (
        "Accuracy is that of test graphs, which were held out. Means and 95 % intervals are over seeds: each seed has "
        "its own noise, split and starting weights. Splits overlap, and intervals are corrected for that. "
        "Hyper-parameters are chosen on validation graphs. Two controls stand beside the mechanisms: what the number n "
        "of users tells alone, and what n and noisy degrees tell when all of ε is spent on degrees. In bold is what "
        "nothing beats clearly among what keeps friendships private: the interval of its difference to the best has 0 "
        "in it. Point at a mark to read its value."
    )
    return f"<h1>{title}: {escape(_data(plans))}</h1><p>{escape(about + rest)}</p>"


def _title(plan: ExperimentPlan) -> str:
    if plan.experiment in RUNS:
        return f"{plan.dataset}: {run_title(plan)}"
    return f"{EXPERIMENTS[plan.experiment].title} ({plan.dataset})"


def _setting(plan: ExperimentPlan) -> str:
    if plan.experiment == EVALUATION:
        return f"All of these graphs, by {plan.effort}."
    if plan.experiment in RUNS:
        grid = f"; grid: {plan.grid}" if plan.grid else ""
        return f"{plan.effort}; {plan.seeds} seed{'s' if plan.seeds > 1 else ''}{grid}."
    where = EXPERIMENTS[plan.experiment].paper
    if where.startswith("beyond"):
        return f"Beyond the paper. {_effort(plan)}"
    whose = f"{where} of the paper" if is_the_papers(plan.dataset) else f"The experiment of {where}, on other graphs"
    return f"{whose}. {_effort(plan)}"


def _effort(plan: ExperimentPlan) -> str:
    if about_what(plan) == "users":
        return f"Effort {plan.effort}, {plan.seeds} split{'s' if plan.seeds > 1 else ''}."
    several = any(entry.cell.kind in ("accuracy", "poisoned-accuracy", "calibration") for entry in plan.entries)
    return f"Effort {plan.effort}" + (
        f", {plan.seeds} seed{'s' if plan.seeds > 1 else ''}; grid: {plan.grid}." if several else "."
    )


def _states(plan: ExperimentPlan, rows: Mapping[str, Row]) -> dict[str, int]:
    ids = {entry.cell.id for entry in plan.entries}
    found: dict[str, int] = {}
    for each in ids:
        state = rows[each].status if each in rows else "missing"
        found[state] = found.get(state, 0) + 1
    return found


def _gaps(plan: ExperimentPlan, rows: Mapping[str, Row]) -> str:
    states = _states(plan, rows)
    total, done = sum(states.values()), states.get("done", 0)
    if done == total:
        return ""
    words = {
        "missing": "not computed yet",
        "too-large": "too large for the machine's memory and not tried",
        "impossible": "impossible with these parameters",
        "failed": "failed",
    }
    gaps = "; ".join(f"{states[name]:,} {text}" for name, text in words.items() if name in states)
    notes = dict.fromkeys(
        rows[entry.cell.id].note for entry in plan.entries if entry.cell.id in rows and rows[entry.cell.id].note
    )
    reasons = f"<br><small>{'<br>'.join(escape(note) for note in list(notes)[:4])}</small>" if notes else ""
    return f'<p class="note">{done:,} of {total:,} cells are here: {gaps}.{reasons}</p>'


def _facts(plans: list[ExperimentPlan], rows: Mapping[str, Row], span: tuple[float, float] | None) -> str:
    planned = {entry.cell.id for plan in plans for entry in plan.entries}
    done = sum(row.status == "done" for row in rows.values())
    facts = [
        (f"{done:,} of {len(planned):,}", "cells computed"),
        (seconds(sum(row.seconds for row in rows.values())), "of computing"),
        (size(max((row.peak_memory for row in rows.values()), default=0)), "largest memory of a cell"),
        (str(len({json.dumps(dict(row.machine), sort_keys=True) for row in rows.values()})), "kinds of machine"),
    ]
    if span is not None:
        facts.append((time.strftime("%Y-%m-%d", time.gmtime(span[1])), "last cell, UTC"))
    return f'<div class="facts">{"".join(f"<div><b>{escape(a)}</b><span>{b}</span></div>" for a, b in facts)}</div>'


def _provenance(plans: list[ExperimentPlan], rows: Mapping[str, Row]) -> str:
    lines: list[list[str | None]] = []
    for plan in plans:
        states = _states(plan, rows)
        own = [rows[key] for key in {entry.cell.id for entry in plan.entries} if key in rows]
        total = sum(states.values())
        spent = seconds(sum(row.seconds for row in own))
        missing = ", ".join(f"{count:,} {state}" for state, count in states.items() if state != "done") or "nothing"
        effort = run_title(plan) if plan.experiment in RUNS else plan.effort
        lines.append(
            [plan.experiment, plan.dataset, effort, f"{total:,}", f"{states.get('done', 0):,}", spent, missing]
        )
    head = ["experiment", "dataset", "effort", "cells", "done", "time", "missing"]
    machines: dict[str, list[Row]] = {}
    for row in rows.values():
        machines.setdefault(json.dumps(dict(row.machine), sort_keys=True), []).append(row)
    where: list[list[str | None]] = []
    for text, own in machines.items():
        where.append(
            [
                _machine(json.loads(text)),
                f"{len(own):,}",
                seconds(sum(r.seconds for r in own)),
                size(max(r.peak_memory for r in own)),
            ]
        )
    return (
        '<section id="provenance"><h2>What was run, on what, for how long</h2>'
        "<p>Experiments share cells, so the sum of their cells is more than there are. The time of cells that were "
        "trained together is divided among them.</p>"
        f"{table(head, lines, text=(6,))}<h3>Machines</h3>"
        f"{table(['machine', 'cells', 'time', 'largest memory'], where, text=(0,))}"
        f'<p class="soft">Results version {RESULTS_VERSION}.</p></section>'
    )


def _machine(found: Mapping[str, Any]) -> str:
    if not found:
        return "unknown: the worker died"
    gpu = f"{found['gpu']}, " if found.get("gpu") else ""
    versions = ", ".join(
        f"{name} {found[name]}" for name in ("graphldp", "torch", "numpy", "python") if found.get(name)
    )
    return f"{gpu}{found['cpu']}, {found['cores']} cores, {found['memory_gb']:g} GiB, {found['system']}; {versions}"
