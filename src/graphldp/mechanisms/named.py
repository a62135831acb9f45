"""The one table of mechanisms: everything that takes a mechanism's name, or shows one, reads it here.

A mechanism of your own is as good as ours wherever a name is taken::

    gl.register(HalfResponse, name="half-response")          # in Python
    graphldp train IMDB-BINARY -m own.py:HalfResponse        # on the command line
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, bad_parameter
from graphldp.files.own import is_reference, load_class, loaded_class, reference_of
from graphldp.mechanisms.attributes.category_rr import CategoryRR
from graphldp.mechanisms.attributes.friend_counts import FriendCounts
from graphldp.mechanisms.attributes.multi_bit import MultiBit
from graphldp.mechanisms.base import NAMES, Mechanism
from graphldp.mechanisms.base import name_of as name_of
from graphldp.mechanisms.blink import Blink
from graphldp.mechanisms.closed_pairs import ClosedPairs
from graphldp.mechanisms.dprr import DPRR
from graphldp.mechanisms.hubs.hub_counts import HubCounts
from graphldp.mechanisms.hubs.hub_lists import HubLists
from graphldp.mechanisms.local_lap import LocalLap
from graphldp.mechanisms.noisy_degrees import NoisyDegrees
from graphldp.mechanisms.nonprivate import NonPrivFull, NonPrivPart
from graphldp.mechanisms.rr import ARR, RR
from graphldp.reports import Reports
from graphldp.wire import MECHANISMS as WIRE_CODES

Colour = tuple[str, str]
Protected = Literal["edges", "features", "labels"]
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_COLOUR = re.compile(r"#[0-9a-f]{6}")
SPARE: tuple[Colour, ...] = (
    ("#9333ea", "#d8b4fe"),
    ("#ea580c", "#fdba74"),
    ("#0f766e", "#99f6e4"),
    ("#be185d", "#fbcfe8"),
    ("#4338ca", "#a5b4fc"),
    ("#854d0e", "#fef08a"),
)
"""Colours for mechanisms that have none of their own."""


@dataclass(frozen=True)
class NamedMechanism:
    """A row of the table: all that graphldp knows about a mechanism by its name.

    Args:
        name: as commands, experiments and files write it.
        kind: the class.
        colour: on light and on dark paper.
        label: as tables and pictures write it; by default the name of the class.
        lists: whether private users send lists, all of them or some.
        groups: whether it counts friends by public groups, which the graphs must then have.
        protects: what is hidden: ``"edges"``, or the private column ``"features"`` or ``"labels"``, which the graphs
            must then have.
        private: whether it promises anything; the two ends of the scale do not.
        audited_with: the parameters beside ε with which it is audited, on graphs of four users: together they reach
            every branch of the mechanism. None where nothing is promised.
    """

    name: str
    kind: type[Mechanism]
    colour: Colour
    label: str = ""
    lists: bool = True
    groups: bool = False
    protects: Protected = "edges"
    private: bool = True
    audited_with: tuple[Mapping[str, Any], ...] = field(default=({},))

    def __post_init__(self) -> None:
        if len(self.colour) != 2 or not all(_COLOUR.fullmatch(each) for each in self.colour):
            raise bad_parameter("colour", self.name, "two colours like #0b5fff, for light and for dark", self.colour)
        object.__setattr__(self, "label", self.label or self.kind.__name__)

    @property
    def code(self) -> int | None:
        """Its code on the wire, None where no device sends it."""
        return WIRE_CODES.index(self.name) if self.name in WIRE_CODES else None

    @property
    def degree(self) -> bool:
        """Whether a private user sends d*."""
        return hasattr(self.kind, "noise") and not self.groups

    @property
    def plain(self) -> bool:
        """Whether it needs nothing of the graphs but their lists."""
        return self.protects == "edges" and not self.groups

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its parameters beside ε."""
        return tuple(each.name for each in _given(self.kind) if each.name != "epsilon")

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every option with its value, the given ones or its own defaults; those without either are left out."""
        defaults = {each.name: each.default for each in _given(self.kind) if each.default is not MISSING}
        found = {name: given.get(name, defaults.get(name)) for name in self.options}
        return {name: value for name, value in found.items() if value is not None}

    def make(self, epsilon: float | NDArray[np.float64], **options: Any) -> Mechanism:
        """The mechanism with these parameters; None stands for its own default.

        Args:
            epsilon: ε of every user, or one per user; not looked at where everybody is public anyway.
            options: parameters beside ε.

        Raises:
            ParameterError: for a parameter that it does not have, or that it needs and that is not given.
        """
        chosen = {name: value for name, value in options.items() if value is not None}
        for name in chosen.keys() - {*self.options}:
            raise bad_parameter(name, self.label, "left out: it has no such parameter", chosen[name])
        own = {each.name: each for each in _given(self.kind)}
        for name in self.options:
            if name not in chosen and own[name].default is MISSING and own[name].default_factory is MISSING:
                raise bad_parameter(name, self.label, f"given, as in {self.name} {name}=…", None)
        if "epsilon" in own:
            chosen["epsilon"] = epsilon
        return self.kind(**chosen)


_DISCRETE = {"noise": "discrete"}
_HALVES = {"allocation": "fixed", "alpha": 0.5}  # among four users the paper's split needs an ε₁ above 1.6
_HUBS = {"times": 1.0, "least": 0.0}  # among four users two friends make a hub
_OURS = (
    NamedMechanism("dprr", DPRR, ("#0b5fff", "#6ea8ff"), audited_with=(_HALVES, _HALVES | _DISCRETE)),
    NamedMechanism("rr", RR, ("#c9372c", "#ff8f85")),
    NamedMechanism(
        "arr", ARR, ("#6f4e37", "#d2a679"), audited_with=({"sampling": 0.5}, {"sampling": 0.5, "sampled": "zeros"})
    ),
    NamedMechanism("local-lap", LocalLap, ("#b65c02", "#f5b14c")),
    NamedMechanism("noisy-degrees", NoisyDegrees, ("#5b21b6", "#c4b5fd"), lists=False, audited_with=({}, _DISCRETE)),
    NamedMechanism("hub-lists", HubLists, ("#15803d", "#86efac"), audited_with=(_HUBS, _HUBS | {"noise": "laplace"})),
    NamedMechanism(
        "hub-counts", HubCounts, ("#a16207", "#fde047"), lists=False, audited_with=({"times": 1.0, "busy": 1.0},)
    ),
    NamedMechanism("friend-counts", FriendCounts, ("#be123c", "#fda4af"), lists=False, groups=True),
    NamedMechanism(
        "multi-bit",
        MultiBit,
        ("#4d7c0f", "#bef264"),
        lists=False,
        protects="features",
        audited_with=({}, {"sampled": 2}),
    ),
    NamedMechanism(
        "category-rr",
        CategoryRR,
        ("#86198f", "#f0abfc"),
        lists=False,
        protects="labels",
        audited_with=({"categories": 2}, {"categories": 3}),
    ),
    NamedMechanism("blink", Blink, ("#0369a1", "#7dd3fc"), audited_with=({"delta": 0.5}, {"delta": 0.5} | _DISCRETE)),
    NamedMechanism(
        "closed-pairs",
        ClosedPairs,
        ("#0e7490", "#67e8f9"),
        audited_with=({}, {"degree": 0.4, "answer": 0.4, "slack": 0.5}),
    ),
    NamedMechanism(
        "nonpriv-part", NonPrivPart, ("#00796b", "#4fd1b8"), "NonPriv-Part", lists=False, private=False, audited_with=()
    ),
    NamedMechanism("nonpriv-full", NonPrivFull, ("#3c4450", "#c6ccd6"), "NonPriv-Full", private=False, audited_with=()),
)


@dataclass(frozen=True)
class Variant:
    """A mechanism of the table with some parameters set, as experiments compare it.

    Args:
        mechanism: its name in the table.
        options: the parameters.
        stored: how results name it; there a mechanism whose options are given is the mechanism itself.
        graph: of Blink, which graph its server makes of the reports.
        central: whether a trusted server adds the noise: of LocalLap this is LapGraph, which promises a user nothing.
    """

    mechanism: str
    options: Mapping[str, Any]
    stored: str
    graph: Literal["hard", "hybrid"] | None = None
    central: bool = False


VARIANTS = {
    "sparse-arr": Variant("arr", {"sampling": 0.05}, "arr"),  # lists about as long as DPRR's on REDDIT-BINARY at ε = 1
    "discrete-degrees": Variant("noisy-degrees", {"noise": "discrete"}, "degrees"),
    "every-hub-list": Variant("hub-lists", {"least": 0.0}, "hub-lists"),
    "dprr-unbiased": Variant("dprr", {"estimator": "unbiased"}, "dprr-unbiased"),
    "dprr-bayes": Variant("dprr", {"estimator": "bayes"}, "dprr-bayes"),
    # half of ε for the degree: at the authors' 0.1 half of a hard graph's edges are false
    "blink-hard": Variant("blink", {"delta": 0.5}, "blink-hard", graph="hard"),
    "blink-hybrid": Variant("blink", {"delta": 0.5}, "blink-hybrid", graph="hybrid"),
    "lap-graph": Variant("local-lap", {}, "lap-graph", central=True),
}
"""Variants by name."""

_table: dict[str, NamedMechanism] = {}


def _put(record: NamedMechanism) -> None:
    _table[record.name] = record
    NAMES.setdefault(record.kind, record.name)


for _record in _OURS:
    _put(_record)


def mechanisms() -> tuple[NamedMechanism, ...]:
    """The table: ours, then those that were registered."""
    return tuple(_table.values())


def names() -> tuple[str, ...]:
    """All names of the table."""
    return tuple(_table)


def register(
    kind: type[Mechanism] | NamedMechanism,
    *,
    name: str | None = None,
    label: str | None = None,
    colour: Colour | None = None,
) -> NamedMechanism:
    """Put a mechanism of your own into the table, beside ours.

    Args:
        kind: its class, or the whole record, which takes no other argument.
        name: lower-case letters, digits and hyphens; by default half-response for a class HalfResponse.
        label: as tables and pictures write it; by default the name of the class.
        colour: on light and on dark paper; by default one of a few spare ones.

    Returns:
        The record. Registering the same class by the same name again, as a notebook does, replaces it.

    Example::

        gl.register(HalfResponse)
    """
    if isinstance(kind, NamedMechanism):
        record = kind
    elif isinstance(kind, type) and issubclass(kind, Mechanism):
        called = name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", kind.__name__).lower()
        record = _record_of(kind, called, label, colour)
    else:
        raise bad_parameter("kind", "register", "a kind of Mechanism, or a NamedMechanism", kind)
    known = _table.get(record.name)
    mine = known is not None and known not in _OURS and known.kind.__qualname__ == record.kind.__qualname__
    if not _NAME.fullmatch(record.name) or record.name in WIRE_CODES or (known is not None and not mine):
        raise bad_parameter("name", "register", "letters, digits and hyphens, and not taken", record.name)
    _put(record)
    return record


def named(name: str) -> NamedMechanism:
    """The record of a name of the table, or of a class of one's own: ``module:Class`` or ``path/own.py:Class``."""
    if name in _table:
        return _table[name]
    if not is_reference(name):
        raise bad_parameter("mechanism", "graphldp", f"one of {', '.join(_table)}, or path/own.py:Class", name)
    kind: type[Mechanism] = load_class(name, Mechanism, "mechanism")
    return next((each for each in _table.values() if each.kind is kind), None) or _record_of(kind)


def at_hand(name: str) -> NamedMechanism:
    """The record of a name; a class of your own must be loaded already. Runs no code: the name may come from a file."""
    if name in _table or not is_reference(name):
        return named(name)
    return _record_of(loaded_class(name, Mechanism, "mechanism"))


def label_of(name: str) -> str:
    """The label of a name in tables and pictures, of the table or not. Runs no code: the name may come from a file."""
    return _table[name].label if name in _table else name.rpartition(":")[2]


def colour_of(name: str) -> Colour:
    """The colours of a name, of the table or not; a name that is not there has always the same spare ones."""
    return _table[name].colour if name in _table else SPARE[spare_place(name)]


def spare_place(name: str) -> int:
    """The place, among spare colours, of a name that is not in the table."""
    return zlib.crc32(name.encode()) % len(SPARE)


def drawn_by(reports: Reports, owner: str, *known: type[Mechanism]) -> type[Mechanism]:
    """The class that drew some reports, refused where its law is not one that the asker knows.

    Args:
        reports: what was collected.
        owner: who asks, for messages.
        known: the classes whose laws the asker knows. A class made from one of them may have another law.
    """
    if not isinstance(reports, Reports):
        raise bad_parameter("reports", owner, "Reports", type(reports).__name__)
    record = _table.get(reports.origin.name)
    if record is None or record.kind not in known:
        labels = " or ".join(label_of(name_of(each)) for each in known)
        raise DataError(f"{owner} is derived for reports drawn by {labels}; these come from {reports.origin}.")
    return record.kind


def _record_of(
    kind: type[Mechanism], name: str | None = None, label: str | None = None, colour: Colour | None = None
) -> NamedMechanism:
    called = name or reference_of(kind)
    return NamedMechanism(called, kind, colour or colour_of(called), label or "")


def _given(kind: type[Mechanism]) -> list[Field[Any]]:
    return [each for each in fields(kind) if each.init]
