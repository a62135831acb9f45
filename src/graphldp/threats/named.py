"""Attacks and defenses by name, for the command line and for experiments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphldp.errors import bad_parameter
from graphldp.threats.attacks import Attack, Poison
from graphldp.threats.base import Defense
from graphldp.threats.beyond import Collusion, HubMimicry
from graphldp.threats.consistency import RowColumnCheck
from graphldp.threats.guard import HubGuard
from graphldp.threats.threshold import DegreeThreshold

ATTACKS: dict[str, Callable[..., Attack]] = {
    "all-ones": Poison.all_ones,
    "all-zeros": Poison.all_zeros,
    "random": Poison.random,
    "mimicry": HubMimicry,
    "clique": lambda **options: Collusion("clique", **options),
    "target": lambda **options: Collusion("target", **options),
    "frame": lambda **options: Collusion("frame", **options),
}

DEFENSES: dict[str, Callable[..., Defense]] = {
    "threshold": DegreeThreshold,
    "row-column": RowColumnCheck,
    "guard-accuracy": lambda **options: HubGuard("accuracy", **options),
    "guard-guarantee": lambda **options: HubGuard("guarantee", **options),
}


def make_attack(name: str, *, fraction: float, forge_degree: bool = True) -> Attack:
    """The attack of this name."""
    if name not in ATTACKS:
        raise bad_parameter("attack", "graphldp", f"one of {', '.join(ATTACKS)}", name)
    return ATTACKS[name](fraction=fraction, forge_degree=forge_degree)


def make_defense(name: str, *, theta: float = 0.05, treatment: str | None = None) -> Defense:
    """The defense of this name, with its own treatment unless another one is asked for."""
    if name not in DEFENSES:
        raise bad_parameter("defense", "graphldp", f"one of {', '.join(DEFENSES)}", name)
    options: dict[str, Any] = {"theta": theta} if treatment is None else {"theta": theta, "treatment": treatment}
    return DEFENSES[name](**options)
