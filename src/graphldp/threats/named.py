"""The one table of attacks and defenses: everything that takes or shows one of their names reads it here.

One of your own goes wherever a name goes, as ``path/own.py:Class`` or ``package.module:Class``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from graphldp.errors import ParameterError, bad_parameter
from graphldp.mechanisms.named import label_of, name_of
from graphldp.own import is_reference, load_class
from graphldp.threats.attacks import Attack, Poison
from graphldp.threats.base import Defense
from graphldp.threats.beyond import Collusion, HubMimicry
from graphldp.threats.consistency import RowColumnCheck
from graphldp.threats.guard import HubGuard
from graphldp.threats.threshold import DegreeThreshold


@dataclass(frozen=True)
class NamedAttack:
    """All that graphldp knows about an attack by its name.

    Args:
        name: as commands, experiments and files write it.
        maker: makes it from ``fraction`` and ``forge_degree``.
        label: as tables and pictures write it.
    """

    name: str
    maker: Callable[..., Attack]
    label: str


@dataclass(frozen=True)
class NamedDefense:
    """All that graphldp knows about a defense by its name.

    Args:
        name: as commands, experiments and files write it.
        kind: the class.
        maker: makes it from ``theta`` and ``treatment``.
        label: as tables and pictures write it.
    """

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
        NamedAttack("all-ones", Poison.all_ones, "everybody is on the list"),
        NamedAttack("all-zeros", Poison.all_zeros, "nobody is on the list"),
        NamedAttack("random", Poison.random, "a coin for everybody"),
        NamedAttack("mimicry", HubMimicry, "lists as long as those of hubs"),
        NamedAttack("clique", partial(Collusion, "clique"), "liars list each other"),
        NamedAttack("target", partial(Collusion, "target"), "liars vouch for a fake hub"),
        NamedAttack("frame", partial(Collusion, "frame"), "liars cast suspicion on hubs"),
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


def make_attack(name: str, *, fraction: float, forge_degree: bool = True) -> Attack:
    """The attack of this name, or of a class of one's own."""
    options: dict[str, Any] = {"fraction": fraction, "forge_degree": forge_degree}
    if is_reference(name):
        own: Attack = _made(load_class(name, Attack, "attack"), options, name)
        return own
    if name not in ATTACKS:
        raise bad_parameter("attack", "graphldp", f"one of {', '.join(ATTACKS)}, or path/own.py:Class", name)
    return ATTACKS[name].maker(**options)


def make_defense(name: str, *, theta: float = 0.05, treatment: str | None = None) -> Defense:
    """The defense of this name, or of a class of one's own, with its own treatment unless another one is asked for.

    A defense of one's own that has no ``theta`` gets none.
    """
    options: dict[str, Any] = {} if treatment is None else {"treatment": treatment}
    if is_reference(name):
        kind: type[Defense] = load_class(name, Defense, "defense")
        if any(each.name == "theta" for each in fields(kind)):
            options["theta"] = theta
        own: Defense = _made(kind, options, name)
        return own
    if name not in DEFENSES:
        raise bad_parameter("defense", "graphldp", f"one of {', '.join(DEFENSES)}, or path/own.py:Class", name)
    return DEFENSES[name].maker(theta=theta, **options)


def defense_label(name: str) -> str:
    """How tables and pictures write a defense's name, of the table or not. Runs no code."""
    return DEFENSES[name].label if name in DEFENSES else label_of(name)


def _made(kind: Callable[..., Any], options: dict[str, Any], name: str) -> Any:
    try:
        return kind(**options)
    except TypeError as error:  # it asks for more, or for something else
        raise ParameterError(f"{name} cannot be made from {', '.join(options)} alone: {error}.") from None
