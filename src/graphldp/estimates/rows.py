"""Rows of estimates: a value, its error, an interval, what it rests on and what was assumed."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from graphldp.errors import ParameterError, extra_named
from graphldp.estimates.samples import Doubt
from graphldp.estimates.smoothed import smoothed_degrees
from graphldp.files.text import facts, printable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
DEVIATIONS = 1.96
POOLED = "all"
"""The community that rows of several together name."""


@dataclass(frozen=True)
class Estimate:
    """An estimate: one row.

    Args:
        name: what was estimated.
        value: the estimate. It has no bias, so a share may lie a little below 0 or above 1.
        error: the standard error; NaN where there is none.
        low: the lower end of the 95 % interval, inside what is possible.
        high: the upper end.
        basis: what it was computed from.
        assumed: in words, what must hold beside the law of the noise; empty where nothing must.
        of: the group, or the range of degrees, that it is about.
        to: the other group of a pair.
        community: whose; :data:`POOLED` for several together.
    """

    name: str
    value: float
    error: float
    low: float
    high: float
    basis: str
    assumed: str = ""
    of: str = ""
    to: str = ""
    community: str = ""

    @property
    def title(self) -> str:
        """The name with what it is about: share with degree 2 to 3, of those who reported."""
        name, comma, whose = self.name.partition(", ")
        return f"{name}{f' {self.of}' if self.of else ''}{f' and {self.to}' if self.to else ''}{comma}{whose}"

    @property
    def best(self) -> float:
        """The value, inside what is possible: for people to read."""
        return min(max(self.value, self.low), self.high) if math.isfinite(self.error) else self.value

    def told(self, value: float) -> str:
        """A number of the row in words: a share in percent, and nothing as a dash."""
        if not math.isfinite(value):
            return "–"
        share = self.name.startswith("share") or self.name in ("density", "connectedness")
        return f"{number(100 * value)} %" if share else number(value)

    @property
    def vague(self) -> bool:
        """Whether the noise leaves nearly everything open: half of all shares, or a number's own size."""
        wide = self.high - self.low
        return math.isfinite(self.error) and (
            wide > 0.5 if self.high <= 1 else max(wide, 2 * DEVIATIONS * self.error) > 2 * abs(self.best)
        )


def estimate(
    name: str,
    value: float,
    doubt: Doubt,
    basis: str,
    assumed: str = "",
    *,
    within: tuple[float, float] = (0.0, math.inf),
    skewed: bool = False,
    of: str = "",
    to: str = "",
) -> Estimate:
    """A row with its interval, which is cut at what is possible.

    The interval is normal, or Student's where few reports say how users differ. Counts of a small group are skewed when
    somebody is missing, since a busy user more or less changes value and error together; their interval holds the
    values t with |value − t| ≤ c·√(noise + absence·t/value).
    """
    error = math.sqrt(doubt.variance)
    wide = float(stdtrit(doubt.freedom, 0.975)) if doubt.absence else DEVIATIONS
    low, high = value - wide * error, value + wide * error
    if skewed and doubt.absence and value > 2 * error:
        shift = wide**2 * doubt.absence / value
        middle, root = value + shift / 2, math.sqrt(shift * value + shift**2 / 4 + wide**2 * max(doubt.noise, 0.0))
        low, high = middle - root, middle + root
    low, high = (min(max(end, within[0]), within[1]) for end in (low, high))
    return Estimate(name, value, error, low, high, basis, assumed, of, to)


@dataclass(frozen=True)
class Statistics:
    """The statistics of one community, or of several.

    Args:
        rows: the estimates; of several communities first those of all together.
        notes: in words, what is not shown and why.
        degrees: the noisy degrees of all users, for :attr:`smoothed`; None where there are none.

    Example::

        found = gl.statistics(reports)
        found["friendships"].value, found["friendships", "Avery", "Page"].error
        found.to_pandas()
    """

    rows: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()
    degrees: tuple[NDArray[np.float64], NDArray[np.float64], int] | None = field(
        default=None, compare=False, repr=False
    )

    @cached_property
    def smoothed(self) -> Floats | None:
        """Pr(D = d) of all users, by maximum likelihood and without an interval; None without noisy degrees."""
        return None if self.degrees is None else smoothed_degrees(*self.degrees)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: str | tuple[str, ...]) -> Estimate:
        name, *about = (key,) if isinstance(key, str) else key
        of, to = (*map(str, about), "", "")[:2]
        for row in self.rows:
            if row.name == name and {row.of, row.to} == {of, to}:
                return row
        there = ", ".join(dict.fromkeys(repr(row.name) for row in self.rows))
        raise ParameterError(f"There is no row {name!r}{f' of {about}' if about else ''}. There are {there}.")

    def about(self, name: str) -> tuple[Estimate, ...]:
        """All rows of one name, of the first community or of all together."""
        first = self.rows[0].community if self.rows else ""
        return tuple(row for row in self.rows if row.name == name and row.community == first)

    def of_community(self, name: str) -> Statistics:
        """The rows of one community."""
        return Statistics(tuple(row for row in self.rows if row.community == name), self.notes)

    def to_records(self) -> list[dict[str, Any]]:
        """The rows as plain values, for JSON: None where there is no number."""
        records = [asdict(row) for row in self.rows]
        return [
            {
                name: None if isinstance(value, float) and not math.isfinite(value) else value
                for name, value in each.items()
            }
            for each in records
        ]

    def to_csv(self) -> str:
        """The rows as tidy CSV: one row each, one column for each field. R and spreadsheets read it."""
        text = io.StringIO()
        writer = csv.DictWriter(text, [each.name for each in fields(Estimate)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.to_records())
        return text.getvalue()

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a table."""
        with extra_named("Statistics.to_pandas"):
            import pandas as pd
        return pd.DataFrame([asdict(row) for row in self.rows])

    def plot(self) -> Figure:
        """Histogram and mixing, with their intervals, of one community or of all together."""
        with extra_named("Statistics.plot"):
            from graphldp.estimates.pictures import drawn
        return drawn(self)

    def __str__(self) -> str:
        lines = [f"{printable(row.title):<44} {shown(row)}" for row in self.about_first()]
        return "\n".join([*lines, *self.notes])

    def about_first(self) -> Sequence[Estimate]:
        """The rows of the first community, or of all together."""
        return [row for row in self.rows if row.community == self.rows[0].community]

    def _repr_html_(self) -> str:
        return facts("Statistics", {row.title: shown(row) for row in self.about_first()})


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def shown(row: Estimate) -> str:
    """A row's numbers in words: the value, and from where to where it may lie."""
    if not math.isfinite(row.error):
        return row.told(row.value)
    text = f"{row.told(row.best)} ({row.told(row.low)} to {row.told(row.high)})"
    return f"{text}; too noisy to tell" if row.vague else text


def number(value: float) -> str:
    """Three digits, or a whole number where it has more; four places at most."""
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{round(value, 4):.3g}"
