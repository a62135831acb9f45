"""The reports that a trial learns from: drawn, attacked and defended; the part that trials share.

As in the paper, malicious users are in the training graphs only unless a threat says otherwise, so that training and
test graphs differ the most; the defense sees all graphs, since the server cannot know which were attacked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import cast

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import GraphLDPError
from graphldp.experiments.draws import Context, Draw, graphs_of, lists_of, raw_graphs, reports_of
from graphldp.experiments.engines.preparing import prepared
from graphldp.experiments.trial import Threat, Trial, Where
from graphldp.learn.selection import split
from graphldp.reports import Reports
from graphldp.threats import Optimised, Verdict
from graphldp.threats.attacks.optimised import Score
from graphldp.threats.named import make_defense
from graphldp.threats.treatments import Treatment, treat

HUB = 0.25
"""A hub is a user whose true degree exceeds this share of her graph; a long list holds more than this share of it."""


@dataclass(frozen=True)
class Attacked:
    """Attacked reports.

    Args:
        reports: what the server sees.
        malicious: who lies.
        inside: who is in an attacked graph.
        hubs: whose true degree makes her a hub; nobody where there are no raw graphs.
    """

    reports: Reports
    malicious: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    hubs: NDArray[np.bool_]


@dataclass(frozen=True)
class Defended:
    """Reports after the defense.

    Args:
        reports: what is learned from.
        rates: who was flagged.
        untouched: whether nobody was, so that the reports are the attacked ones.
    """

    reports: Reports
    rates: dict[str, float]
    untouched: bool


def attacked(trial: Trial, context: Context) -> Attacked:
    """The attacked reports of a trial."""
    return _attacked(*_attack_of(trial), context)


def defended(trial: Trial, context: Context) -> Defended:
    """The reports that a trial learns from, and the rates of detection in the attacked graphs."""
    threat = trial.threat
    if threat is None:
        return Defended(reports_of(trial.draw, context), {}, True)
    case = attacked(trial, context)
    verdict = None if threat.defense == "none" else _judged(*_attack_of(trial), threat.defense, context)
    return after(case, verdict, threat, trial.seed)


def after(case: Attacked, verdict: Verdict | None, threat: Threat, seed: int) -> Defended:
    """The attacked reports without those that the verdict flags; all of them where there is no verdict."""
    if verdict is None:
        return Defended(case.reports, {}, True)
    n, honest = np.repeat(case.reports.sizes, case.reports.sizes), case.inside & ~case.malicious
    groups = {
        "false_positives": honest,
        "hub_false_positives": honest & case.hubs,
        "detected": case.malicious,
        "detected_long": case.malicious & (case.reports.degrees > HUB * (n - 1)),
    }
    rates = {name: verdict.rate(among) for name, among in groups.items() if among.any()}
    if not verdict.flagged.any():
        return Defended(case.reports, rates, True)
    return Defended(treat(case.reports, verdict.flagged, cast("Treatment", threat.treatment), rng=seed), rates, False)


def attack_reports(
    reports: Reports,
    threat: Threat,
    seed: int,
    graphs: NDArray[np.int64] | None = None,
    score: Score | None = None,
) -> tuple[Reports, NDArray[np.bool_]]:
    """What the server sees where some users lie, and who they are.

    Args:
        reports: honest ones.
        threat: which attack.
        seed: of who lies, and of their lists.
        graphs: where they are; everywhere unless said.
        score: what liars aim at, where they search.
    """
    attack = threat.make_attack()
    if attack is None:
        return reports, np.zeros(reports.num_users, np.bool_)
    if isinstance(attack, Optimised):
        attack = replace(attack, score=score)
    malicious = attack.malicious(reports, rng=seed, graphs=graphs)
    return attack.apply(reports, rng=seed, graphs=graphs), malicious


def places(parts: Sequence[NDArray[np.int64]], where: Where) -> NDArray[np.int64]:
    """The attacked graphs among training, validation and test graphs."""
    learn, _, test = parts
    return {"train": learn, "test": test, "both": np.concatenate((learn, test))}[where]


def by_case(trials: Sequence[Trial]) -> Iterator[list[Trial]]:
    """Trials that learn from the same reports.

    Draws come in the order in which they appear, and cases of one attack follow each other, so that it is drawn once.
    """
    draws: dict[Draw, dict[tuple[str, ...], list[Trial]]] = {}
    for trial in trials:
        key = () if trial.threat is None else (*map(repr, _attack_of(trial)), repr(trial.threat))
        draws.setdefault(trial.draw, {}).setdefault(key, []).append(trial)
    for found in draws.values():
        yield from (found[key] for key in sorted(found))


def cases_of(trials: Sequence[Trial], context: Context) -> Iterator[tuple[list[Trial], Defended | GraphLDPError]]:
    """Trials with the reports they learn from. Other processes prepare what takes longer than a plain draw."""
    shared: dict[Draw, list[list[Trial]]] = {}
    threatened: list[list[Trial]] = []
    for own in by_case(trials):
        lists = lists_of(own[0].draw)
        if own[0].threat is not None:
            threatened.append(own)
        elif lists is not None:
            shared.setdefault(lists, []).append(own)
        else:
            yield own, _or_error(own[0], context)
    served = prepared(graphs_of, [[[own[0].draw for own in alike]] for alike in shared.values()], context)
    for alike, made in zip(shared.values(), served, strict=True):
        for place, own in enumerate(alike):
            yield own, made if isinstance(made, GraphLDPError) else Defended(made[place], {}, True)
    tasks = [[own[0] for own in alike] for _, alike in groupby(threatened, key=lambda own: _attack_of(own[0]))]
    yield from zip(threatened, prepared(defended, tasks, context), strict=True)


def _or_error(trial: Trial, context: Context) -> Defended | GraphLDPError:
    try:
        return defended(trial, context)
    except GraphLDPError as error:
        return error


_Attack = tuple[Draw, tuple[float, ...], int, Threat]


def _attack_of(trial: Trial) -> _Attack:
    """Which attack on which reports a trial is about: all but the defense."""
    threat = trial.threat or Threat()
    return trial.draw, trial.ratios, trial.seed, replace(threat, defense="none", treatment="")


@lru_cache(maxsize=1)
def _attacked(draw: Draw, ratios: tuple[float, ...], seed: int, threat: Threat, context: Context) -> Attacked:
    """Kept until the next one is asked for: several defenses and treatments share it."""
    reports = reports_of(draw, context)
    attacked = places(split(reports.labels, ratios, seed), threat.where)
    inside = np.isin(reports.graph_of_user, attacked)
    return Attacked(*attack_reports(reports, threat, seed, attacked), inside, true_hubs(draw, reports, context))


def true_hubs(draw: Draw, reports: Reports, context: Context) -> NDArray[np.bool_]:
    """Who is a hub by her true degree; nobody where there are no raw graphs."""
    graphs = raw_graphs(draw, context)
    if graphs is None:
        return np.zeros(reports.num_users, np.bool_)
    return np.asarray(graphs.degrees > HUB * np.repeat(graphs.sizes, graphs.sizes))


@lru_cache(maxsize=1)
def _judged(
    draw: Draw, ratios: tuple[float, ...], seed: int, threat: Threat, defense: str, context: Context
) -> Verdict:
    case = _attacked(draw, ratios, seed, threat, context)
    if defense == "perfect":  # no defense can do better: it is told who lies
        return Verdict(case.malicious.astype(np.float64), np.full(len(case.malicious), 0.5))
    return make_defense(defense).judge(case.reports)
