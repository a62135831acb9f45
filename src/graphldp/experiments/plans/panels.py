"""The panels of the experiments about malicious users, as data.

The GIN is trained where the goals of the defense and the paper's figure need it: under random and all-ones lists. The
other attacks are measured with the degree control, a stronger classifier on REDDIT-BINARY that is fitted in a second.
"""

from __future__ import annotations

from dataclasses import dataclass

from graphldp.experiments.trial import Where

Line = tuple[str, str, str]
"""Learner (``"gin"``, ``"degrees"`` or ``"bounded"``), defense (``"none"``, ``"perfect"`` or a key of
:data:`graphldp.threats.named.DEFENSES`) and what becomes of flagged users."""

HONEST_DEGREE = ", honest d*"
"""After the name of an attack that leaves d* as it was."""

CURVES = ("threshold", "guard-accuracy", "guard-guarantee")
"""The defenses of which detection is drawn against false positives."""


def line_name(learner: str, defense: str, treatment: str) -> str:
    """How a line of a figure is called, as in ``"degrees guard-accuracy redraw"``."""
    return " ".join(each for each in (learner, defense, treatment) if each)


@dataclass(frozen=True)
class Panel:
    """One attack.

    Args:
        attack: a key of :data:`graphldp.threats.named.ATTACKS`, or one with :data:`HONEST_DEGREE` after it.
        fractions: β.
        lines: what is drawn.
        about: what the panel is about, where an attack has two.
        curve: the β of detection curves; None for none.
    """

    attack: str
    fractions: tuple[float, ...]
    lines: tuple[Line, ...]
    about: str = ""
    curve: float | None = None

    @property
    def name(self) -> str:
        """The attack, and what the panel is about."""
        return ", ".join(each for each in (self.attack, self.about) if each)


_ALL = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
_SOME = (0.0, 0.1, 0.3, 0.5)
_PAPER: tuple[Line, ...] = (
    ("gin", "none", ""),
    ("gin", "threshold", "remove"),
    ("degrees", "none", ""),
    ("degrees", "threshold", "remove"),
)
_GIN: tuple[Line, ...] = (("gin", "none", ""), ("gin", "guard-accuracy", "redraw"))
_OTHERS: tuple[Line, ...] = (
    ("degrees", "none", ""),
    ("degrees", "guard-accuracy", "redraw"),
    ("degrees", "guard-guarantee", "redraw"),
    ("bounded", "none", ""),
)
_TREATMENTS = ("remove", "empty", "redraw")
_GIN_TREATED = tuple(("gin", "guard-accuracy", each) for each in _TREATMENTS)
_TREATED = tuple(("degrees", defense, each) for defense in ("guard-accuracy", "perfect") for each in _TREATMENTS)

PAPER = (Panel("all-ones", _ALL, _PAPER), Panel("random", _ALL, _PAPER))
BEYOND = (
    Panel("random", _ALL, (*_GIN, *_OTHERS), curve=0.3),
    Panel("all-ones", _ALL, (*_GIN, *_OTHERS), curve=0.3),
    Panel("random", _SOME[1:], _GIN_TREATED, about="what becomes of flagged users, GIN"),
    Panel("random", _SOME[1:], _TREATED, about="what becomes of flagged users, degrees"),
    Panel("mimicry", (0.0, 0.02, 0.1, 0.3, 0.5), _OTHERS, curve=0.3),
    Panel("clique", _SOME, _OTHERS, curve=0.3),
    Panel("target", _SOME, _OTHERS),
    Panel("frame", _SOME, _OTHERS, curve=0.3),
    Panel("all-zeros", _SOME, _OTHERS),
    Panel("random, honest d*", (0.3,), _OTHERS[:3]),
)


@dataclass(frozen=True)
class Forged:
    """Attacks on degrees that are measured alike.

    Args:
        where: in which graphs liars are.
        attacks: keys of :data:`graphldp.threats.named.ATTACKS`.
        fractions: β.
        lone: whether one liar in each graph is measured, too.
    """

    where: Where
    attacks: tuple[str, ...]
    fractions: tuple[float, ...] = ()
    lone: bool = False


NOBODY = "nobody"
"""The line of a figure about forged degrees that no attack is on."""

_SIMPLE = ("fake-hub", "copy-largest", "silent-hub", "imitation")
_ONE = (
    *("shift", "fake-hub", "half-hub", "input-hub", "busy-hub", "quiet-hub", "copy-largest", "all-hubs", "silent-hub"),
    *("stay-away", "imitation", "hub-imitation", "optimised", "optimised-hub"),
)
EVASION = (Forged("test", _ONE, lone=True),)
_SHARES = Forged("test", (*_SIMPLE, "shift", "all-hubs", "stay-away", "hub-imitation"), (0.01, 0.1, 0.3, 0.5))
FORGED = (
    *EVASION,
    _SHARES,
    Forged("test", ("optimised",), (0.1,)),
    Forged(
        "train",
        ("fake-hub", "copy-largest", "imitation", "hub-imitation", "optimised", "careful"),
        (0.01, 0.1, 0.3),
    ),
    Forged("train", ("silent-hub",), (0.1,)),
    Forged("train", ("copy-largest",), (0.5,)),
    Forged("both", ("copy-largest", "imitation", "optimised"), (0.1,)),
    Forged("both", ("imitation", "optimised"), lone=True),
)
FORGED_LISTS = (
    *EVASION,
    _SHARES,
    Forged("train", ("copy-largest", "imitation"), (0.01, 0.1, 0.3)),
    Forged("train", ("optimised",), (0.1,)),
    Forged("both", ("copy-largest", "imitation", "optimised"), (0.1,)),
)
