"""One user's report: versioned, strict, size-capped. Client and collector meet here and nowhere else.

:mod:`graphldp.wire.layout` has what its bytes are. Its form for people is JSON with the same fields, read as strictly.

Example::

    data = encode(Report("dprr", n=5, user=2, epsilon1=0.1, epsilon2=0.9, noisy_degree=-3, neighbours=[0, 4]))
    decode(data, n=5).neighbours
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from itertools import islice
from operator import lt
from typing import Any, NamedTuple

from graphldp.errors import WireError
from graphldp.wire import codes
from graphldp.wire.layout import (
    DEGREE_RANGE,
    FIRST_BYTE,
    LAYOUTS,
    MAX_EPSILON,
    MAX_USERS,
    MECHANISMS,
    MILLION,
    ReportLayout,
    max_size,
    most_groups,
    to_millionths,
)
from graphldp.wire.numbers import NO_LIST, Numbers, numbers
from graphldp.wire.reader import Reader, check_whole, varint, zigzag
from graphldp.wire.strict_json import read_object

_CODES = tuple(LAYOUTS.items())


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
    neighbours: Numbers = field(repr=False)
    asked: bool | None = None
    counts: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.mechanism not in LAYOUTS:
            raise WireError(f"A report's mechanism must be one of {', '.join(MECHANISMS)}.")
        layout = LAYOUTS[self.mechanism]
        check_whole("report", "n", self.n, 1, MAX_USERS)
        check_whole("report", "user", self.user, 0, self.n - 1)
        for name, value, spent, may_be_0 in (
            ("ε₁", self.epsilon1, layout.epsilon1, False),
            ("ε₂", self.epsilon2, layout.epsilon2, layout.optional_list),
        ):
            if spent:
                to_millionths(value, may_be_0=may_be_0)
            elif value != _unspent(self.mechanism):
                raise WireError(f"The {name} of a report by {self.mechanism} is {_unspent(self.mechanism):g}.")
        if layout.noisy_degree:
            check_whole("report", "noisy_degree", self.noisy_degree, *DEGREE_RANGE)
        elif self.noisy_degree is not None:
            raise WireError(f"A report by {self.mechanism} has no noisy degree.")
        if type(self.asked) is not bool if layout.asked else self.asked is not None:
            raise WireError("A report by hub-counts, and no other, says whether its user is asked again.")
        if layout.counts:
            _check_counts(self.counts, self.n)
        elif self.counts is not None:
            raise WireError(f"A report by {self.mechanism} has no counts.")
        object.__setattr__(self, "neighbours", self._checked_list())

    @property
    def hub(self) -> bool:
        """Whether it says that its user looks like a hub."""
        return _says_hub(LAYOUTS[self.mechanism], self.epsilon2, self.asked)

    @property
    def asked_again(self) -> bool:
        """Whether its user is asked a second question."""
        return bool(self.asked) or LAYOUTS[self.mechanism].asks_all

    def _checked_list(self) -> Numbers:
        kept = numbers(self.neighbours)
        listed = kept.tolist()
        if listed and not (listed[0] >= 0 and listed[-1] < self.n and all(map(lt, listed, islice(listed, 1, None)))):
            raise WireError("A report's list must be sorted, distinct and within the community.")
        if self.user in listed:
            raise WireError("A report's list must not name the user herself.")
        if not self.epsilon2 and listed:
            raise WireError("A report that spends no ε₂ has an empty list.")
        return kept


def encode(report: Report) -> bytes:
    """The one encoding of a report."""
    layout, k, payload = LAYOUTS[report.mechanism], int(report.asked or False), b""
    if report.epsilon2:
        user = report.user
        k, payload = codes.pack([each - (each > user) for each in report.neighbours.tolist()], report.n - 1)
    head = [bytes((FIRST_BYTE, MECHANISMS.index(report.mechanism) << 5 | k)), varint(report.n), varint(report.user)]
    if layout.epsilon1:
        head.append(to_millionths(report.epsilon1).to_bytes(3, "little"))
    if layout.epsilon2:
        head.append(to_millionths(report.epsilon2, may_be_0=True).to_bytes(3, "little"))
    if report.noisy_degree is not None:
        head.append(zigzag(report.noisy_degree))
    if report.counts is not None:
        head += (varint(len(report.counts)), *map(zigzag, report.counts))
    if report.epsilon2:
        head.append(varint(len(report.neighbours)))
    return b"".join((*head, payload))


class ReportHead(NamedTuple):
    """A report before its list is unpacked: a few bytes can stand for a list of millions.

    Args:
        mechanism: as of a :class:`Report`, like all up to ``counts``.
        n: users in the community.
        user: the reporting user's number.
        epsilon1: ε₁.
        epsilon2: ε₂.
        noisy_degree: d*, or None.
        asked: whether the user looks like a hub, or None.
        counts: the noisy number of her friends in each group, or None.
        entries: how many the list has.
        k: of its Rice code.
        payload: the list's bytes.
    """

    mechanism: str
    n: int
    user: int
    epsilon1: float
    epsilon2: float
    noisy_degree: int | None
    asked: bool | None
    counts: tuple[int, ...] | None
    entries: int
    k: int
    payload: bytes

    def __repr__(self) -> str:  # a log must not hold anybody's list
        return f"<ReportHead of slot {self.user} of {self.n}, by {self.mechanism}>"

    @property
    def hub(self) -> bool:
        """Whether it says that its user looks like a hub."""
        return _says_hub(LAYOUTS[self.mechanism], self.epsilon2, self.asked)

    @property
    def asked_again(self) -> bool:
        """Whether its user is asked a second question."""
        return bool(self.asked) or LAYOUTS[self.mechanism].asks_all

    def neighbours(self) -> Numbers:
        """The list, unpacked.

        Raises:
            WireError: for anything that :func:`encode` would not have written.
        """
        user, listed = self.user, codes.unpack(self.payload, self.k, self.entries, self.n - 1)
        return numbers([each + (each >= user) for each in listed])


def decode_head(data: bytes, *, n: int | None = None) -> ReportHead:
    """Read a report up to its list; see :func:`decode`."""
    reader = Reader(data, "report")
    reader.version(FIRST_BYTE)
    code, k = divmod(reader.take(1)[0], 32)
    mechanism, layout = _CODES[code]
    users = reader.users(n)
    check_whole("report", "n", users, 1, MAX_USERS)
    most = max_size(users, most_groups(users) if layout.counts else 0)
    if len(data) > most:
        raise WireError(f"A report in a community of {users} users has at most {most} bytes.")
    user = reader.varint("user")
    check_whole("report", "user", user, 0, users - 1)
    epsilon1 = _read_epsilon(reader) if layout.epsilon1 else _unspent(mechanism)
    epsilon2 = _read_epsilon(reader, may_be_0=layout.optional_list) if layout.epsilon2 else _unspent(mechanism)
    noisy_degree = reader.signed("noisy degree") if layout.noisy_degree else None
    counts = _read_counts(reader, users) if layout.counts else None
    entries = 0
    if epsilon2:
        entries = reader.varint("count")
        check_whole("report", "count", entries, 0, users - 1)
    asked = None
    if layout.asked:
        check_whole("report", "code of who is asked", k, 0, 1)
        asked, k = bool(k), 0
    spent = epsilon1, epsilon2
    return ReportHead(mechanism, users, user, *spent, noisy_degree, asked, counts, entries, k, reader.rest())


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
    return Report(*head[:6], head.neighbours(), head.asked, head.counts)


def to_json(report: Report) -> str:
    """The form for people: the fields that the mechanism has, and nothing else."""
    names = field_names(report.mechanism)[:-1]
    return json.dumps({name: getattr(report, name) for name in names} | {"neighbours": report.neighbours.tolist()})


def from_json(text: str) -> Report:
    """Read the form for people, as strictly as :func:`decode`."""
    fields = read_object(text)
    if fields.get("mechanism") not in MECHANISMS:
        raise WireError(f"A report in JSON is an object whose mechanism is one of {', '.join(MECHANISMS)}.")
    names = field_names(fields["mechanism"])
    if set(fields) != set(names):
        raise WireError(f"A report by {fields['mechanism']} in JSON has the fields {', '.join(names)}.")
    neighbours = fields.pop("neighbours")
    if not isinstance(neighbours, list) or not all(type(j) is int and 0 <= j < MAX_USERS for j in neighbours):
        raise WireError(NO_LIST)
    if "counts" in fields:
        if not isinstance(fields["counts"], list):
            raise WireError(_NO_COUNTS)
        fields["counts"] = tuple(fields["counts"])
    unspent = _unspent(fields["mechanism"])
    given: dict[str, Any] = {"epsilon1": unspent, "epsilon2": unspent, "noisy_degree": None} | fields
    return Report(**given, neighbours=numbers(neighbours))


def field_names(mechanism: str) -> list[str]:
    """The fields that a report by a mechanism has in JSON."""
    return ["mechanism", "n", "user", *LAYOUTS[mechanism].parts, "neighbours"]


_NO_COUNTS = "A report's counts must be one whole number for each group."


def _check_counts(counts: Any, n: int) -> None:
    if type(counts) is not tuple:
        raise WireError(_NO_COUNTS)
    check_whole("report", "number of groups", len(counts), 2, most_groups(n))
    for count in counts:
        check_whole("report", "count of friends", count, *DEGREE_RANGE)


def _read_counts(reader: Reader, n: int) -> tuple[int, ...]:
    """Counts of a community of n users; a few bytes cannot claim more groups than it can have."""
    groups = reader.varint("number of groups")
    check_whole("report", "number of groups", groups, 2, most_groups(n))
    return tuple(reader.signed("count of friends") for _ in range(groups))


def _says_hub(layout: ReportLayout, epsilon2: float, asked: bool | None) -> bool:
    """Whether its user looks like a hub: she is asked again, or sends a list where few do."""
    return bool(asked) or (layout.optional_list and epsilon2 > 0)


def _unspent(mechanism: str) -> float:
    """The ε that stands for a part that is not written."""
    return math.inf if mechanism == "public" else 0.0


def _read_epsilon(reader: Reader, *, may_be_0: bool = False) -> float:
    units = int.from_bytes(reader.take(3), "little")
    if not units and not may_be_0:
        raise WireError(f"The ε of a report must be above 0 and at most {MAX_EPSILON}.")
    return units / MILLION
