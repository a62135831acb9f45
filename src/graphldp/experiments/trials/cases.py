"""The reports that a trial learns from: drawn, attacked and defended; the part that trials share.

As in the paper, malicious users are in the training graphs only unless a threat says otherwise, so that training and
test graphs differ the most; the defense sees all graphs, since the server cannot know which were attacked.
"""

from __future__ import annotations

import math
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import GraphLDPError
from graphldp.experiments.draws import Context, Draw, raw_graphs, reports_of
from graphldp.experiments.trial import Threat, Trial, Where, trusted_graphs
from graphldp.learn.selection import split
from graphldp.reports import Reports
from graphldp.threats import Verdict
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
    return _attacked(_attack_of(trial), context)


def defended(trial: Trial, context: Context) -> Defended:
    """The reports that a trial learns from, and the rates of detection in the attacked graphs."""
    threat = trial.threat
    if threat is None:
        return Defended(reports_of(trial.draw, context), {}, True)
    case = attacked(trial, context)
    if threat.defense == "none":
        return Defended(case.reports, {}, True)
    verdict = _judged(_attack_of(trial), threat.defense, context)
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
    kept = treat(case.reports, verdict.flagged, cast("Treatment", threat.treatment), rng=trial.seed)
    return Defended(kept, rates, False)


def attack_reports(
    reports: Reports, threat: Threat, seed: int, graphs: NDArray[np.int64] | None = None
) -> tuple[Reports, NDArray[np.bool_]]:
    """The reports that a server sees where some users lie, and who they are.

    Args:
        reports: honest ones.
        threat: which attack.
        seed: of who lies, and of their lists.
        graphs: where they are; everywhere unless said.
    """
    attack = threat.make_attack()
    if attack is None:
        return reports, np.zeros(reports.num_users, np.bool_)
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
    slow: list[list[Trial]] = []
    for own in by_case(trials):
        variant = own[0].draw.variant
        if own[0].threat is not None or (variant is not None and variant.graph):
            slow.append(own)
        else:
            yield own, _prepared(defended, own[0], context)
    tasks = [[own[0] for own in alike] for _, alike in groupby(slow, key=lambda own: _attack_of(own[0]))]
    yield from zip(slow, prepared(defended, tasks, context), strict=True)


class _Attack(NamedTuple):
    """The attack of a trial and the reports that it is on: all but the defense."""

    draw: Draw
    ratios: tuple[float, ...]
    seed: int
    threat: Threat
    trusted: float | None


def _attack_of(trial: Trial) -> _Attack:
    threat = replace(trial.threat or Threat(), defense="none", treatment="")
    return _Attack(trial.draw, trial.ratios, trial.seed, threat, trial.trusted)


@lru_cache(maxsize=1)
def _attacked(what: _Attack, context: Context) -> Attacked:
    """Kept until the next one is asked for: several defenses and treatments share it."""
    draw, ratios, seed, threat, trusted = what
    reports, graphs = reports_of(draw, context), raw_graphs(draw, context)
    attacked = places(split(reports.labels, ratios, seed), threat.where)
    if trusted is not None:  # nobody lies there
        attacked = np.setdiff1d(attacked, trusted_graphs(reports.labels, ratios, seed, trusted))
    inside, hubs = np.isin(reports.graph_of_user, attacked), np.zeros(reports.num_users, np.bool_)
    if graphs is not None:
        hubs = graphs.degrees > HUB * np.repeat(graphs.sizes, graphs.sizes)
    return Attacked(*attack_reports(reports, threat, seed, attacked), inside, hubs)


@lru_cache(maxsize=1)
def _judged(what: _Attack, defense: str, context: Context) -> Verdict:
    case = _attacked(what, context)
    if defense == "perfect":  # no defense can do better: it is told who lies
        return Verdict(case.malicious.astype(np.float64), np.full(len(case.malicious), 0.5))
    return make_defense(defense).judge(case.reports)


Item = TypeVar("Item")
Made = TypeVar("Made")

_AHEAD = 3  # tasks that are prepared ahead of the training, for each process: reports may take gigabytes


def prepared(
    make: Callable[[Item, Context], Made], tasks: Sequence[Sequence[Item]], context: Context
) -> Iterator[Made | GraphLDPError]:
    """The result for each item, in order; by several processes where the context has them.

    Args:
        make: a function of a module, called with an item and a context of one process.
        tasks: items that share work follow each other in one task, which one process does.
        context: its ``workers`` say how many processes; with one, items are made as they are asked for.
    """
    alone = replace(context, workers=1, deadline=math.inf)
    if context.workers == 1:
        yield from (_prepared(make, item, alone) for task in tasks for item in task)
        return
    start = multiprocessing.get_context("spawn")  # torch and its threads do not survive a fork
    with ProcessPoolExecutor(context.workers, start, initializer=_one_thread) as pool:
        ahead: deque[Future[list[Made | GraphLDPError]]] = deque()
        try:
            for task in tasks:
                ahead.append(pool.submit(_all_prepared, make, task, alone))
                if len(ahead) > _AHEAD * context.workers:
                    yield from ahead.popleft().result()
            while ahead:
                yield from ahead.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _one_thread() -> None:
    os.environ["GRAPHLDP_THREADS"] = "1"


def _all_prepared(
    make: Callable[[Item, Context], Made], task: Sequence[Item], context: Context
) -> list[Made | GraphLDPError]:
    return [_prepared(make, item, context) for item in task]


def _prepared(make: Callable[[Item, Context], Made], item: Item, context: Context) -> Made | GraphLDPError:
    try:
        return make(item, context)
    except GraphLDPError as error:
        return error
