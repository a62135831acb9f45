"""How many reports there must be before anything is shown that was computed from them.

A mean, a bar or a label of one report is that report. So below ``min_reports`` there is none of them, on no page and in
no command's output, and no bar of a histogram stands for fewer than :data:`LEAST_PER_BAR` users.
"""

from __future__ import annotations

MIN_REPORTS = 25
LEAST_PER_BAR = 3


def enough(reports: int, min_reports: int) -> bool:
    """Whether so many reports may be shown as one value."""
    return reports >= max(min_reports, 1)
