"""The layout of a report's bytes: its parts in their order, which a mechanism has, and how large they may be.

::

    byte 0        0xE1: a report, version 1
    byte 1        mechanism << 5 | k          0 dprr, 1 rr, 2 noisy-degrees, 3 public, 4 hub-counts, 5 hub-lists,
                                              6 friend-counts, 7 closed-pairs; k of a Rice code, 1 for a hub-counts
                                              user who is to be asked again, else 0
    n             varint                      users in the community, 1 to 2²⁷
    user          varint                      the reporting user's number, below n
    ε₁            3 bytes, little-endian      in millionths; all but rr and public
    ε₂            3 bytes, little-endian      in millionths; where there may be a list, 0 for who is no hub; of
                                              closed-pairs it is for the list and the answer together
    d*            zigzag varint               where there is an ε₁, but for friend-counts
    counts        varints                     friend-counts only: how many groups, then a zigzag varint for each
    count         varint                      entries of the list; where ε₂ is above 0, and for public
    list          the rest                    of the count entries, or of the absent users where they are fewer

At most 24 bytes stand before the list or the counts. The list leaves the user herself out (users above her move down by
one). It is a Rice code of the gaps, a bitmap where it is dense: see :mod:`graphldp.wire.codes`. ε is a whole number of
millionths, so that both sides mean the same number exactly and sums never round. Every report has exactly one encoding;
whatever else arrives is refused with a reason. The shared test vectors are in ``tests/wire/vectors``, the details in
``docs/reference/wire.md``.

:data:`LAYOUTS` says the same to programs: whoever writes, reads or checks a report, alone or many at once, asks it.
"""

from __future__ import annotations

from typing import NamedTuple

from graphldp.errors import WireError, bad_parameter
from graphldp.wire.reader import MOST_BYTES

MEDIA_TYPE = "application/vnd.graphldp.report"
FIRST_BYTE = 0xE1
MAX_USERS = 1 << 27
MAX_HEADER = 24
MAX_GROUPS = 256
MILLION = 10**6
MAX_EPSILON = ((1 << 24) - 1) / MILLION  # 16.777215; e^16.8 is 19 million to one, which protects nobody
DEGREE_RANGE = (-(1 << 27), (1 << 27) - 1)


class ReportLayout(NamedTuple):
    """The parts that a mechanism's reports have, by their names and in the order of their bytes.

    Args:
        epsilon1: whether ε₁ is written.
        epsilon2: whether ε₂ is written.
        noisy_degree: whether d* is.
        asked: whether k says that the user is to be asked again.
        counts: whether friends counted by group are written.
        optional_list: no part, but whether each device finds out if there is a list; ε₂ is 0 where there is none.
        asks_all: no part, but whether everybody is to be asked again.
    """

    epsilon1: bool = True
    epsilon2: bool = False
    noisy_degree: bool = False
    asked: bool = False
    counts: bool = False
    optional_list: bool = False
    asks_all: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts that there are."""
        return tuple(
            name for name in ("epsilon1", "epsilon2", "noisy_degree", "asked", "counts") if getattr(self, name)
        )


LAYOUTS = {
    "dprr": ReportLayout(epsilon2=True, noisy_degree=True),
    "rr": ReportLayout(epsilon1=False, epsilon2=True),
    "noisy-degrees": ReportLayout(noisy_degree=True),
    "public": ReportLayout(epsilon1=False),
    "hub-counts": ReportLayout(noisy_degree=True, asked=True),
    "hub-lists": ReportLayout(epsilon2=True, noisy_degree=True, optional_list=True),
    "friend-counts": ReportLayout(counts=True),
    "closed-pairs": ReportLayout(epsilon2=True, noisy_degree=True, asks_all=True),
}
"""By mechanism, in the order of their codes."""
MECHANISMS = tuple(LAYOUTS)
WITH_EPSILON1 = tuple(name for name, layout in LAYOUTS.items() if layout.epsilon1)
WITH_EDGES = tuple(name for name, layout in LAYOUTS.items() if layout.epsilon2)
WITH_DEGREE = tuple(name for name, layout in LAYOUTS.items() if layout.noisy_degree)
WITH_COUNTS = tuple(name for name, layout in LAYOUTS.items() if layout.counts)
MAY_LACK_LIST = tuple(name for name, layout in LAYOUTS.items() if layout.optional_list)
WITH_SECOND = tuple(name for name, layout in LAYOUTS.items() if layout.asked or layout.asks_all)
"""With a second question, to some or to all."""
WITH_HUBS = tuple(name for name, layout in LAYOUTS.items() if layout.asked or layout.optional_list)
"""Where hubs do something else than everybody else, and their reports say so."""


def most_groups(n: int) -> int:
    """The largest number of groups that a community of n users can have: nobody is in two, and none is empty."""
    return min(MAX_GROUPS, n)


def to_millionths(epsilon: float, *, may_be_0: bool = False) -> int:
    """ε as the whole number of millionths it stands for.

    Raises:
        WireError: for an ε that is not the float nearest to one, or is out of range.
    """
    known = isinstance(epsilon, float | int) and not isinstance(epsilon, bool)
    if not known or not (0 < epsilon <= MAX_EPSILON or (may_be_0 and epsilon == 0)):
        raise WireError(f"The ε of a report must be above 0 and at most {MAX_EPSILON}.")
    units = round(epsilon * MILLION)
    if units / MILLION != epsilon:
        raise WireError("The ε of a report must be a whole number of millionths, such as 0.1 or 0.046001.")
    return units


def quantize(epsilon: float) -> float:
    """The nearest ε that a report can carry: a whole number of millionths. For operators who publish choices of ε."""
    if not isinstance(epsilon, float | int) or not 0.5 / MILLION < epsilon <= MAX_EPSILON:
        raise bad_parameter("epsilon", "quantize", f"at least a millionth and at most {MAX_EPSILON}", epsilon)
    return round(epsilon * MILLION) / MILLION


def max_size(n: int, groups: int = 0) -> int:
    """The cap on an encoded report in a community of n users, and of so many groups where it has any.

    No list costs more than its bitmap, and no count more than the longest varint.
    """
    return MAX_HEADER + max(-(-(n - 1) // 8), MOST_BYTES * groups)
