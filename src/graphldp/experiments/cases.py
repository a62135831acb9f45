"""Reports after an attack and a defense: the part of a cell about malicious users that cells share.

As in the paper, malicious users rewrite their lists in the training graphs only, so that training and test graphs
differ the most; the defense sees all graphs, since the server cannot know which were attacked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphldp.experiments.cells import Cell, canonical
from graphldp.experiments.draws import Context, Draw, load, reports_of
from graphldp.learn.selection import split
from graphldp.reports import Reports
from graphldp.threats import Verdict
from graphldp.threats.named import make_attack, make_defense
from graphldp.threats.treatments import treat

HUB = 0.25
"""A hub is a user whose true degree exceeds this share of her graph; a long list holds more than this share of it."""

_HONEST_DEGREE = ", honest d*"
_ATTACK = ("draw", "ratios", "seed", "attack", "fraction", "forge_degree")
_DEFENSE = ("defense", "treatment")


def case_params(attack: str, fraction: float) -> dict[str, Any]:
    """An attack as a cell names it; without malicious users all attacks are one."""
    if not fraction:
        return {"attack": None, "fraction": 0.0, "forge_degree": True}
    name = attack.removesuffix(_HONEST_DEGREE)
    return {"attack": name, "fraction": fraction, "forge_degree": name == attack}


def by_case(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Cells that share attacked and defended reports; those of one attack follow each other, so it is drawn once."""
    found: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        own = tuple(canonical(cell.params[name]) for name in (*_ATTACK, *_DEFENSE))
        found.setdefault(own, []).append(cell)
    yield from (found[key] for key in sorted(found))


@dataclass(frozen=True)
class Attacked:
    """Attacked reports.

    Args:
        reports: what the server sees.
        malicious: who lies.
        inside: who is in a training graph.
        hubs: who is a hub in truth.
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


def attacked(params: dict[str, Any], context: Context) -> Attacked:
    """The attacked reports of a cell."""
    return _attacked(attack_of(params), context)


def defended(params: dict[str, Any], context: Context) -> Defended:
    """The reports of a cell after attack and defense, and the rates of detection in the training graphs."""
    case = attacked(params, context)
    if params["defense"] == "none":
        return Defended(case.reports, {}, True)
    verdict = _judged(attack_of(params), params["defense"], context)
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
    return Defended(treat(case.reports, verdict.flagged, params["treatment"], rng=params["seed"]), rates, False)


def attack_of(params: dict[str, Any]) -> str:
    """Which attack on which reports a cell is about."""
    return canonical({name: params[name] for name in _ATTACK})


@lru_cache(maxsize=1)
def _attacked(text: str, context: Context) -> Attacked:
    """Kept until the next one is asked for: several defenses and treatments share it."""
    params = json.loads(text)
    reports = reports_of(Draw.of(params["draw"]), context)
    learn = split(reports.labels, params["ratios"], params["seed"])[0]
    inside = np.isin(reports.graph_of_user, learn)
    graphs = load(params["draw"]["dataset"], context)
    hubs = np.asarray(graphs.degrees > HUB * np.repeat(graphs.sizes, graphs.sizes))
    if params["attack"] is None:
        return Attacked(reports, np.zeros(reports.num_users, np.bool_), inside, hubs)
    attack = make_attack(params["attack"], fraction=params["fraction"], forge_degree=params["forge_degree"])
    malicious = attack.malicious(reports, rng=params["seed"], graphs=learn)
    return Attacked(attack.apply(reports, rng=params["seed"], graphs=learn), malicious, inside, hubs)


@lru_cache(maxsize=1)
def _judged(text: str, defense: str, context: Context) -> Verdict:
    case = _attacked(text, context)
    if defense == "perfect":  # no defense can do better: it is told who lies
        return Verdict(case.malicious.astype(np.float64), np.full(len(case.malicious), 0.5))
    return make_defense(defense).judge(case.reports)
