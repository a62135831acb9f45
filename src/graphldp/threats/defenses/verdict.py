"""What a defense says about each user, and how right it was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import bad_parameter


@dataclass(frozen=True, eq=False)
class Verdict:
    """One defense's opinion of every user.

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
