"""The one table of attacks and defenses: everything that takes or shows one of their names reads it here.

One of your own goes wherever a name goes, as ``path/own.py:Class`` or ``package.module:Class``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from graphldp.errors import ParameterError, bad_parameter
from graphldp.files.own import is_reference, load_class
from graphldp.mechanisms import ClosedPairs
from graphldp.mechanisms.named import label_of, mechanisms, name_of
from graphldp.threats.attacks.beyond import Collusion, HubMimicry
from graphldp.threats.attacks.claims import WITH_DEGREES
from graphldp.threats.attacks.degrees import CopyLargest, DegreeShift, FakeHub, Imitation, Mimics, SilentHubs, StayAway
from graphldp.threats.attacks.poison import Attack, ListAttack, Poison
from graphldp.threats.defenses.base import Defense
from graphldp.threats.defenses.consistency import RowColumnCheck
from graphldp.threats.defenses.guard import HubGuard
from graphldp.threats.defenses.threshold import DegreeThreshold


@dataclass(frozen=True)
class NamedAttack:
    """An attack in the table: its class, what makes it from ``fraction`` or ``liars``, and its label in pictures."""

    name: str
    kind: type[Attack]
    maker: Callable[..., Attack]
    label: str

    @property
    def fits(self) -> tuple[str, ...]:
        """The mechanisms whose reports it can forge."""
        if self.kind.derived_for:
            return tuple(name_of(each) for each in self.kind.derived_for)
        forged = {name_of(each) for each in (*WITH_DEGREES, ClosedPairs)}  # whose answers rest on all lists
        return tuple(each.name for each in mechanisms() if each.private and each.lists and each.name not in forged)


@dataclass(frozen=True)
class NamedDefense:
    """A defense in the table: its class, what makes it from ``theta`` and ``treatment``, and its label in pictures."""

    name: str
    kind: type[Defense]
    maker: Callable[..., Defense]
    label: str

    @property
    def fits(self) -> tuple[str, ...]:
        """The mechanisms whose lists it can judge; empty where it looks at no mechanism's law."""
        return tuple(name_of(each) for each in self.kind.derived_for)


ATTACKS = {
    each.name: each
    for each in (
        NamedAttack("all-ones", Poison, Poison.all_ones, "everybody is on the list"),
        NamedAttack("all-zeros", Poison, Poison.all_zeros, "nobody is on the list"),
        NamedAttack("random", Poison, Poison.random, "a coin for everybody"),
        NamedAttack("mimicry", HubMimicry, HubMimicry, "lists as long as those of hubs"),
        NamedAttack("clique", Collusion, partial(Collusion, "clique"), "liars list each other"),
        NamedAttack("target", Collusion, partial(Collusion, "target"), "liars vouch for a fake hub"),
        NamedAttack("frame", Collusion, partial(Collusion, "frame"), "liars cast suspicion on hubs"),
        NamedAttack("shift", DegreeShift, DegreeShift, "ten friends more"),
        NamedAttack("fake-hub", FakeHub, FakeHub, "friends with everybody"),
        NamedAttack("half-hub", FakeHub, partial(FakeHub, 0.5), "friends with every second user"),
        NamedAttack("input-hub", FakeHub, partial(FakeHub, lie="input"), "an honest report on a list of everybody"),
        NamedAttack("busy-hub", FakeHub, partial(FakeHub, 0.5, friends="busy"), "friends with the busy half"),
        NamedAttack("quiet-hub", FakeHub, partial(FakeHub, 0.5, friends="quiet"), "friends with the quiet half"),
        NamedAttack("copy-largest", CopyLargest, CopyLargest, "as many friends as the busiest user"),
        NamedAttack("all-hubs", Mimics, Mimics, "as many friends as some hub of the set"),
        NamedAttack("silent-hub", SilentHubs, SilentHubs, "the busiest users claim one friend"),
        NamedAttack("stay-away", StayAway, StayAway, "the busiest users do not report"),
        NamedAttack("imitation", Imitation, Imitation, "degrees of the other class"),
        NamedAttack("hub-imitation", Imitation, partial(Imitation, busiest=True), "hubs of the other class"),
    )
}

DEFENSES = {
    each.name: each
    for each in (
        NamedDefense("threshold", DegreeThreshold, DegreeThreshold, "the paper's defense"),
        NamedDefense("row-column", RowColumnCheck, RowColumnCheck, "row against column"),
        NamedDefense("guard-accuracy", HubGuard, partial(HubGuard, "accuracy"), "HubGuard, accuracy"),
        NamedDefense("guard-guarantee", HubGuard, partial(HubGuard, "guarantee"), "HubGuard, guarantee"),
    )
}


def make_attack(
    name: str, *, fraction: float | None = None, liars: int | None = None, forge_degree: bool = True
) -> Attack:
    """The attack of this name, or of a class of one's own, by a share of a graph's users or by so many of them."""
    options: dict[str, Any] = {"fraction": fraction} if liars is None else {"liars": liars}
    if liars is not None and fraction is not None:
        raise bad_parameter("liars", "graphldp", "left out where there is a fraction", liars)
    known = ATTACKS.get(name)
    if known is None or issubclass(known.kind, ListAttack):
        options["forge_degree"] = forge_degree
    elif not forge_degree:
        raise bad_parameter("forge_degree", name, "left out: it forges degrees and nothing else", forge_degree)
    if is_reference(name):
        own: Attack = _instance(load_class(name, Attack, "attack"), options, name)
        return own
    if known is None:
        raise bad_parameter("attack", "graphldp", f"one of {', '.join(ATTACKS)}, or path/own.py:Class", name)
    return known.maker(**options)


def make_defense(name: str, *, theta: float = 0.05, treatment: str | None = None) -> Defense:
    """The defense of this name, or of a class of one's own, with its own treatment unless another one is asked for.

    A defense of one's own that has no ``theta`` gets none.
    """
    options: dict[str, Any] = {} if treatment is None else {"treatment": treatment}
    if is_reference(name):
        kind: type[Defense] = load_class(name, Defense, "defense")
        if any(each.name == "theta" for each in fields(kind)):
            options["theta"] = theta
        own: Defense = _instance(kind, options, name)
        return own
    if name not in DEFENSES:
        raise bad_parameter("defense", "graphldp", f"one of {', '.join(DEFENSES)}, or path/own.py:Class", name)
    return DEFENSES[name].maker(theta=theta, **options)


def defense_label(name: str) -> str:
    """How tables and pictures write a defense's name, of the table or not. Runs no code."""
    return DEFENSES[name].label if name in DEFENSES else label_of(name)


def _instance(kind: Callable[..., Any], options: dict[str, Any], name: str) -> Any:
    try:
        return kind(**options)
    except TypeError as error:  # it asks for more, or for something else
        raise ParameterError(f"{name} cannot be made from {', '.join(options)} alone: {error}.") from None
