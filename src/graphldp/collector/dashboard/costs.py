"""What an ε promises and what it costs in accuracy: measured, and kept beside this file by ``tools/accuracy.py``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from graphldp.collector.communities.overview import at_most

_FILE = Path(__file__).with_name("accuracy.json")


@dataclass(frozen=True)
class Offered:
    """One ε that an operator can choose.

    Args:
        epsilon: as people write it.
        words: what it stands for.
        becomes: what a friendship that somebody held for 10 % likely becomes at most.
        accuracy: measured, by dataset: the mean and its 95 % interval.
    """

    epsilon: str
    words: str
    becomes: str
    accuracy: tuple[tuple[str, str], ...]


_WORDS = {
    "0.2": "very private: a report hardly tells anything of one friendship",
    "0.5": "private: it tells a little",
    "1": "the usual choice: it tells some, and labels are good",
    "2": "less private: it tells clearly more, and labels are a little better",
}


@cache
def measured() -> list[dict[str, Any]]:
    """The measured curves, by dataset."""
    found: list[dict[str, Any]] = json.loads(_FILE.read_text("utf-8"))
    return found


def offered() -> list[Offered]:
    """The ε that were measured, each in words."""
    rows = []
    for epsilon, words in _WORDS.items():
        numbers = (each["epsilon"][epsilon] for each in measured())
        cells = tuple(_cell(each) for each in numbers)
        rows.append(Offered(epsilon, words, f"{100 * at_most(0.1, float(epsilon)):.0f} %", cells))
    return rows


def compared() -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """What stands beside them: what a community's size alone gives, and what there would be without privacy."""
    names = {"size alone": "its size alone, without any report", "no privacy": "true lists, without privacy"}
    return [(words, tuple(_cell(each[name]) for each in measured())) for name, words in names.items()]


def _cell(numbers: list[float] | None) -> tuple[str, str]:
    """A mean, and its interval."""
    if numbers is None:
        return "–", ""
    mean, low, high = (f"{100 * each:.0f} %" for each in numbers)
    return mean, f"{low} to {high}"
