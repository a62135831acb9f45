"""One user's report as bytes: versioned, strict, size-capped. Client and collector meet here and nowhere else.

::

    byte 0        0xE1: a report, version 1
    byte 1        mechanism << 5 | k          0 dprr, 1 rr, 2 noisy-degrees, 3 public, 4 hub-counts, 5 hub-lists,
                                              6 friend-counts; k of a Rice code, 1 for a hub-counts user who is to be
                                              asked again, else 0
    n             varint                      users in the community, 1 to 2²⁷
    user          varint                      the reporting user's number, below n
    ε₁            3 bytes, little-endian      in millionths; all but rr and public
    ε₂            3 bytes, little-endian      in millionths; dprr, rr and hub-lists only, 0 for who is no hub
    d*            zigzag varint               where there is an ε₁, but for friend-counts
    counts        varints                     friend-counts only: see :mod:`graphldp.wire.codes.counts`
    count         varint                      entries of the list; where ε₂ is above 0, and for public
    list          the rest                    of the count entries, or of the absent users where they are fewer

At most 24 bytes stand before the list or the counts. The list leaves the user herself out (users above her move down by
one). Of up to 512 users it is one number, the list's place among all of its length: see
:mod:`graphldp.wire.codes.combinations`. Of more it is a Rice code of the gaps, a bitmap where it is dense: see
:mod:`graphldp.wire.codes.golomb`. ε is a whole number of millionths, so that both sides mean the same number exactly
and sums never round. Every report has exactly one encoding; whatever else arrives is refused with a reason. The shared
test vectors are in ``tests/wire/vectors``, the details in ``docs/wire.md``.

Example::

    data = encode(Report("dprr", n=5, user=2, epsilon1=0.1, epsilon2=0.9, noisy_degree=-3, neighbours=[0, 4]))
    decode(data, n=5).neighbours
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import WireError, bad_parameter
from graphldp.wire.codes import combinations, golomb, varints
from graphldp.wire.codes.counts import check_counts, most_groups, read_counts, write_counts
from graphldp.wire.reading.reader import Reader, check_whole

MEDIA_TYPE = "application/vnd.graphldp.report"
MECHANISMS = ("dprr", "rr", "noisy-degrees", "public", "hub-counts", "hub-lists", "friend-counts")
MAX_USERS = 1 << 27
MAX_HEADER = 24
SMALL = 512  # users up to which a list is one number; beyond, the last byte of a Rice code is no matter
MILLION = 10**6
MAX_EPSILON = ((1 << 24) - 1) / MILLION  # 16.777215; e^16.8 is 19 million to one, which protects nobody
DEGREE_RANGE = (-(1 << 27), (1 << 27) - 1)
FIRST_BYTE = 0xE1

WITH_DEGREE = ("dprr", "noisy-degrees", "hub-counts", "hub-lists")
WITH_COUNTS = ("friend-counts",)
WITH_EPSILON1 = (*WITH_DEGREE, *WITH_COUNTS)
WITH_EDGES = ("dprr", "rr", "hub-lists")
WITH_HUBS = ("hub-counts", "hub-lists")  # hubs do something else than everybody else, and their reports say so


@dataclass(frozen=True, eq=False)
class Report:
    """One user's report, as it leaves her device. Two reports are the same when their encodings are.

    Args:
        mechanism: one of ``MECHANISMS``.
        n: users in the community.
        user: the reporting user's number in the roster.
        epsilon1: ε₁, a whole number of millionths (see :func:`quantize`); 0 for rr, ``inf`` for public.
        epsilon2: ε₂, likewise; 0 where there is no list, as for who is no hub of hub-lists, ``inf`` for public.
        noisy_degree: d*, or None for rr, public and friend-counts.
        neighbours: sorted, distinct, in range, without the user herself; empty where ε₂ is 0.
        asked: for hub-counts, whether the user looks like a hub, and is to be asked again; else None.
        counts: for friend-counts, the noisy number of her friends in each group; else None.
    """

    mechanism: str
    n: int
    user: int
    epsilon1: float
    epsilon2: float
    noisy_degree: int | None
    neighbours: NDArray[np.int32] = field(repr=False)
    asked: bool | None = None
    counts: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.mechanism not in MECHANISMS:
            raise WireError(f"A report's mechanism must be one of {', '.join(MECHANISMS)}.")
        check_whole("report", "n", self.n, 1, MAX_USERS)
        check_whole("report", "user", self.user, 0, self.n - 1)
        unspent = math.inf if self.mechanism == "public" else 0.0
        for name, value, users in (("ε₁", self.epsilon1, WITH_EPSILON1), ("ε₂", self.epsilon2, WITH_EDGES)):
            if self.mechanism in users:
                to_millionths(value, may_be_0=users is WITH_EDGES and may_lack_list(self.mechanism))
            elif value != unspent:
                raise WireError(f"The {name} of a report by {self.mechanism} is {unspent:g}.")
        if self.mechanism in WITH_DEGREE:
            check_whole("report", "noisy_degree", self.noisy_degree, *DEGREE_RANGE)
        elif self.noisy_degree is not None:
            raise WireError(f"A report by {self.mechanism} has no noisy degree.")
        if type(self.asked) is not bool if self.mechanism == "hub-counts" else self.asked is not None:
            raise WireError("A report by hub-counts, and no other, says whether its user is asked again.")
        if self.mechanism in WITH_COUNTS:
            check_counts(self.counts, self.n, *DEGREE_RANGE)
        elif self.counts is not None:
            raise WireError(f"A report by {self.mechanism} has no counts.")
        object.__setattr__(self, "neighbours", self._checked_list())

    @property
    def hub(self) -> bool:
        """Whether it says that its user looks like a hub."""
        return says_hub(self.mechanism, self.epsilon2, self.asked)

    def _checked_list(self) -> NDArray[np.int32]:
        given = np.asarray(self.neighbours)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise WireError("A report's list must be a flat array of whole numbers.")
        wide = given.astype(np.int64)
        if wide.size and not (wide[0] >= 0 and wide[-1] < self.n and (np.diff(wide) > 0).all()):
            raise WireError("A report's list must be sorted, distinct and within the community.")
        if (wide == self.user).any():
            raise WireError("A report's list must not name the user herself.")
        if not self.epsilon2 and wide.size:
            raise WireError("A report that spends no ε₂ has an empty list.")
        narrow = wide.astype(np.int32)
        narrow.flags.writeable = False
        return narrow


def may_lack_list(mechanism: str) -> bool:
    """Whether its reports have a list or have none, as each device finds out: ε₂ is 0 where there is none."""
    return mechanism == "hub-lists"


def says_hub(mechanism: str, epsilon2: float, asked: bool | None) -> bool:
    """Whether a report says that its user looks like a hub: she is asked again, or sends a list where few do."""
    return bool(asked) or (may_lack_list(mechanism) and epsilon2 > 0)


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
    return MAX_HEADER + max(-(-(n - 1) // 8), varints.MOST_BYTES * groups)


def encode(report: Report) -> bytes:
    """The one encoding of a report."""
    k, payload = int(report.asked or False), b""
    if report.epsilon2:
        listed = _without_self(report)
        absent = len(listed) > report.n - 1 - len(listed)
        written = _complement(listed, report.n - 1) if absent else listed
        k, payload = (0, combinations.pack(written, report.n - 1)) if report.n <= SMALL else golomb.pack(written)
    head = [bytes((FIRST_BYTE, MECHANISMS.index(report.mechanism) << 5 | k)), varints.write(report.n)]
    head.append(varints.write(report.user))
    if report.mechanism in WITH_EPSILON1:
        head.append(to_millionths(report.epsilon1).to_bytes(3, "little"))
    if report.mechanism in WITH_EDGES:
        head.append(to_millionths(report.epsilon2, may_be_0=True).to_bytes(3, "little"))
    if report.noisy_degree is not None:
        head.append(varints.write(varints.fold(report.noisy_degree)))
    if report.counts is not None:
        head.append(write_counts(report.counts))
    if report.epsilon2:
        head.append(varints.write(len(report.neighbours)))
    return b"".join((*head, payload))


def decode(data: bytes, *, n: int | None = None) -> Report:
    """Read a report.

    Args:
        data: the bytes as they arrived.
        n: users in the community that the report is meant for. A reader of bytes from strangers gives it: another n is
            then refused before the list is unpacked, so that few bytes cannot claim a list of millions.

    Raises:
        WireError: for anything that :func:`encode` would not have written, with the reason.
    """
    head = decode_head(data, n=n)
    listed = head.positions()
    if head.absent:
        listed = _complement(listed, head.n - 1)
    neighbours = (listed + (listed >= head.user)).astype(np.int32)
    spent = (head.epsilon1, head.epsilon2)
    return Report(head.mechanism, head.n, head.user, *spent, head.noisy_degree, neighbours, head.asked, head.counts)


@dataclass(frozen=True)
class ReportHead:
    """A report before its list is unpacked: a few bytes can stand for a list of millions.

    Args:
        mechanism: as of a :class:`Report`, like all up to ``noisy_degree``.
        n: users in the community.
        user: the reporting user's number.
        epsilon1: ε₁.
        epsilon2: ε₂.
        noisy_degree: d*, or None.
        count: how many entries the list has.
        k: of its Rice code.
        payload: the list's bytes.
        asked: as of a :class:`Report`.
        counts: as of a :class:`Report`.
    """

    mechanism: str
    n: int
    user: int
    epsilon1: float
    epsilon2: float
    noisy_degree: int | None
    count: int
    k: int
    payload: bytes = field(repr=False)
    asked: bool | None = None
    counts: tuple[int, ...] | None = None

    @property
    def hub(self) -> bool:
        """As of a :class:`Report`."""
        return says_hub(self.mechanism, self.epsilon2, self.asked)

    @property
    def absent(self) -> bool:
        """Whether the bytes say who is not listed."""
        return self.count > self.n - 1 - self.count

    @property
    def written(self) -> int:
        """How many positions the bytes hold."""
        return min(self.count, self.n - 1 - self.count)

    def positions(self) -> NDArray[np.int64]:
        """What the bytes hold, of those who are listed or of those who are not.

        Raises:
            WireError: for anything that :func:`encode` would not have written.
        """
        if self.n > SMALL:
            return golomb.unpack(self.payload, self.k, self.written, self.n - 1)
        if self.k:
            raise WireError(f"A list of {SMALL} users or fewer has no k.")
        return combinations.unpack(self.payload, self.written, self.n - 1)


def decode_head(data: bytes, *, n: int | None = None) -> ReportHead:
    """Read a report up to its list; see :func:`decode`."""
    reader = Reader(data, "report")
    reader.version(FIRST_BYTE)
    code, k = divmod(reader.take(1)[0], 32)
    if code >= len(MECHANISMS):
        raise WireError("The report's mechanism is unknown.")
    mechanism = MECHANISMS[code]
    users = reader.users(n)
    check_whole("report", "n", users, 1, MAX_USERS)
    most = max_size(users, most_groups(users) if mechanism in WITH_COUNTS else 0)
    if len(data) > most:
        raise WireError(f"A report in a community of {users} users has at most {most} bytes.")
    user = reader.varint("user")
    check_whole("report", "user", user, 0, users - 1)
    rest = math.inf if mechanism == "public" else 0.0
    epsilon1 = _read_epsilon(reader) if mechanism in WITH_EPSILON1 else rest
    epsilon2 = _read_epsilon(reader, may_be_0=may_lack_list(mechanism)) if mechanism in WITH_EDGES else rest
    noisy_degree = None
    if mechanism in WITH_DEGREE:
        noisy_degree = reader.signed("noisy degree")
    counts = read_counts(reader, users) if mechanism in WITH_COUNTS else None
    count = reader.varint("count") if epsilon2 else 0
    check_whole("report", "count", count, 0, users - 1)
    asked = None
    if mechanism == "hub-counts":
        check_whole("report", "code of who is asked", k, 0, 1)
        asked, k = bool(k), 0
    return ReportHead(mechanism, users, user, epsilon1, epsilon2, noisy_degree, count, k, reader.rest(), asked, counts)


def _read_epsilon(reader: Reader, *, may_be_0: bool = False) -> float:
    units = int.from_bytes(reader.take(3), "little")
    if not units and not may_be_0:
        raise WireError(f"The ε of a report must be above 0 and at most {MAX_EPSILON}.")
    return units / MILLION


def _without_self(report: Report) -> NDArray[np.int64]:
    wide = report.neighbours.astype(np.int64)
    return wide - (wide > report.user)


def _complement(positions: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    mask = np.ones(size, np.bool_)
    mask[positions] = False
    return np.flatnonzero(mask)
