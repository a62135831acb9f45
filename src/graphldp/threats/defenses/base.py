"""What a defense is: a filter from reports to reports, and a verdict per user."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import bad_parameter
from graphldp.mechanisms.base import Mechanism
from graphldp.mechanisms.drawing.streams import Rng
from graphldp.reports import Reports
from graphldp.threats.defenses.verdict import Verdict
from graphldp.threats.treatments import Treatment, treat


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
