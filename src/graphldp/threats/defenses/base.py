"""Defenses: filters from reports to reports, the verdict on each user, how right it was, and its CSV files."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import FormatError, bad_parameter
from graphldp.files.whole import write_csv
from graphldp.mechanisms.base import Mechanism
from graphldp.mechanisms.drawing.streams import Rng
from graphldp.reports import Reports
from graphldp.threats.treatments import Treatment, treat


@dataclass(frozen=True, eq=False)
class Verdict:
    """A defense's scores of all users, and its thresholds.

    Args:
        score: the higher, the more suspect, per user.
        threshold: per user; ``inf`` for a user whom the defense never flags, such as a public one.
        flagged: True where the score reaches the threshold.
    """

    score: NDArray[np.float64]
    threshold: NDArray[np.float64]

    @property
    def flagged(self) -> NDArray[np.bool_]:
        """True for each user who is held to be malicious."""
        return np.asarray(self.score >= self.threshold)

    def rate(self, among: NDArray[np.bool_]) -> float:
        """The share of some users who are flagged: of malicious ones detection, of honest ones false positives."""
        if among.shape != self.score.shape:
            raise bad_parameter(
                "among", "Verdict.rate", f"one True or False for each of {len(self.score)} users", among.shape
            )
        return float(self.flagged[among].mean()) if among.any() else float("nan")


@dataclass(frozen=True, eq=False)
class ROC:
    """Detection against false positives as the threshold falls.

    Args:
        false_positives: the share of honest users that is flagged, at each threshold.
        detected: the share of malicious users that is flagged.
    """

    false_positives: NDArray[np.float64]
    detected: NDArray[np.float64]

    @property
    def area(self) -> float:
        """The area under the curve: ½ is guessing."""
        return float(np.trapezoid(self.detected, self.false_positives))


def roc(score: NDArray[np.float64], malicious: NDArray[np.bool_], honest: NDArray[np.bool_]) -> ROC:
    """The curve of a score over malicious users and a class of honest ones, hubs for example.

    Ties are one step, so a score that says nothing has an area of ½.

    Args:
        score: one per user; large is suspicious.
        malicious: who is.
        honest: whom to compare them with.
    """
    if not malicious.any() or not honest.any():
        raise bad_parameter("malicious", "roc", "masks with at least one malicious and one honest user", "none")
    bad, good = np.sort(score[malicious]), np.sort(score[honest])
    cuts = np.unique(np.concatenate((bad, good)))[::-1]
    detected = 1.0 - np.searchsorted(bad, cuts) / len(bad)
    wrong = 1.0 - np.searchsorted(good, cuts) / len(good)
    return ROC(np.concatenate(([0.0], wrong)), np.concatenate(([0.0], detected)))


@dataclass(frozen=True)
class Defense(ABC):
    """A test of every user, and what becomes of those who fail it.

    A public user's list is open to everybody and is never flagged; neither is a user who has not reported.

    Args:
        treatment: what becomes of flagged users, see :func:`graphldp.threats.treatments.treat`.
    """

    treatment: Treatment = field(default="remove", kw_only=True)

    derived_for: ClassVar[tuple[type[Mechanism], ...]] = ()
    """The mechanisms whose law the test knows; empty where it does not need the law."""

    def __post_init__(self) -> None:
        if self.treatment not in get_args(Treatment):
            raise bad_parameter(
                "treatment", type(self).__name__, f"one of {', '.join(get_args(Treatment))}", self.treatment
            )

    def apply(self, reports: Reports, *, rng: Rng = None) -> tuple[Reports, Verdict]:
        """Judge every user and take the flagged ones' lists away.

        Args:
            reports: what was collected.
            rng: an int, a ``Generator`` or a ``SeedSequence``; only the treatment ``"redraw"`` draws.

        Returns:
            The reports without the flagged lists, and the verdict. They know that a filter judged them, whoever was
            flagged.
        """
        verdict = self.judge(reports)
        kept = treat(reports, verdict.flagged, self.treatment, rng=rng)
        return kept.changed(filtered=True, trusted=True), verdict

    @abstractmethod
    def judge(self, reports: Reports) -> Verdict:
        """A score, a threshold and a flag for every user."""


def can_be_flagged(reports: Reports) -> NDArray[np.bool_]:
    """Private users who have reported."""
    return ~reports.public if reports.missing is None else ~reports.public & ~reports.missing


def check_theta(theta: float, owner: str) -> None:
    """Refuse a bound on false positives that is not strictly between 0 and 1."""
    if isinstance(theta, bool) or not isinstance(theta, int | float | np.number) or not 0.0 < theta < 1.0:
        raise bad_parameter("theta", owner, "a number between 0 and 1, both excluded", theta)


def write_malicious(path: Path, reports: Reports, malicious: NDArray[np.bool_]) -> None:
    """Write who is malicious, one line for each."""
    graphs = reports.graph_ids[reports.graph_of_user[malicious]].tolist()
    users = reports.local_users[malicious].tolist()
    write_csv(path, ("graph", "user"), ({"graph": g, "user": u} for g, u in zip(graphs, users, strict=True)))


def read_malicious(path: Path, reports: Reports) -> NDArray[np.bool_]:
    """Whether each user is malicious, by a file that :func:`write_malicious` wrote.

    Raises:
        FormatError: for a line about nobody of these reports.
    """
    place = {graph: at for at, graph in enumerate(reports.graph_ids.tolist())}
    chosen = np.zeros(reports.num_users, np.bool_)
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    for number, line in enumerate(lines[1:], 2):
        try:
            graph, user = place[int(line[0])], int(line[1])
        except (ValueError, KeyError, IndexError):
            raise FormatError(f"{path}, line {number}: not a graph and a user of these reports.") from None
        if not 0 <= user < reports.sizes[graph]:
            raise FormatError(f"{path}, line {number}: not a graph and a user of these reports.")
        chosen[reports.graph_ptr[graph] + user] = True
    return chosen


def write_verdicts(path: Path, reports: Reports, verdict: Verdict) -> None:
    """Write a verdict for each user."""
    graphs = reports.graph_ids[reports.graph_of_user].tolist()
    found = zip(graphs, reports.local_users.tolist(), verdict.score, verdict.threshold, verdict.flagged, strict=True)
    columns = ("graph", "user", "score", "threshold", "flagged")
    rows = ((g, u, float(f"{score:.6g}"), float(f"{least:.6g}"), int(flagged)) for g, u, score, least, flagged in found)
    write_csv(path, columns, (dict(zip(columns, row, strict=True)) for row in rows))
