"""Experiments about malicious users: their panels as data, and their cells.

The GIN is trained where the goals of the defense and the paper's figure need it: under random and all-ones lists. The
other attacks are measured with the degree control, a stronger classifier on REDDIT-BINARY that is fitted in a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from graphldp.experiments.cells import Cell
from graphldp.experiments.plans.scope import Experiment, PlannedCell, Scope, draw_of
from graphldp.experiments.trial import RECIPE, ROBUST, Threat, Trial, Where

Line = tuple[str, str, str]
"""Learner (``"gin"``, ``"degrees"`` or ``"bounded"``), defense (``"none"``, ``"perfect"`` or a key of
:data:`graphldp.threats.named.DEFENSES`) and what becomes of flagged users."""

_LEARNERS = {"degrees": "degree", "bounded": "bounded"}  # a line's learner as a trial's classifier

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
        learners: as cells name them.
        fractions: β; where there are none, one user of each graph lies.
    """

    where: Where
    attacks: tuple[str, ...]
    learners: tuple[str, ...]
    fractions: tuple[float, ...] = ()


NOBODY, TRUSTED = "nobody", "trusted"
"""The lines of an experiment about forged degrees that no attack is on: all training graphs, and trusted ones alone."""

_ONE = (
    *("shift", "fake-hub", "half-hub", "input-hub", "busy-hub", "quiet-hub", "copy-largest", "all-hubs", "silent-hub"),
    *("stay-away", "imitation", "hub-imitation"),
)
_TAUGHT = ("fake-hub", "copy-largest", "imitation", "hub-imitation")
EVASION = Forged("test", _ONE, (RECIPE, ROBUST))
TEACHING = Forged("train", _TAUGHT, (RECIPE,), (0.01, 0.1, 0.3))


@dataclass(frozen=True, kw_only=True)
class Poisoning(Experiment):
    """Accuracy and detection against the share β of malicious users in the training graphs; one panel for each attack.

    Args:
        panels: attacks, shares and lines.
        epsilon: ε of all users.
    """

    panels: tuple[Panel, ...]
    epsilon: float = 1.0

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """See :meth:`Experiment.cells`."""
        point = {"epsilon": self.epsilon, "alpha": 0.9, "public_fraction": 0.0}
        for panel, seed in product(self.panels, range(setting.seeds)):
            draw = draw_of("dprr", setting, seed=seed, **point)
            for fraction in panel.fractions:
                attack = _attack(panel.attack, fraction)
                for line in panel.lines:
                    threat = replace(attack, defense=line[1], treatment=line[2])
                    if line[0] == "gin":
                        trials = list(setting.networks(draw, seed, {}, threat))
                    else:
                        trials = [Trial(draw, setting.ratios, seed, _LEARNERS[line[0]], threat=threat)]
                    for trial in trials:
                        yield PlannedCell(panel.name, line_name(*line), fraction, seed, trial)
                for defense in CURVES if fraction == panel.curve and not seed else ():
                    shared = {"draw": draw.params(), "ratios": list(setting.ratios), "seed": seed}
                    asked = {name: getattr(attack, name) for name in ("attack", "fraction", "forge_degree")}
                    cell = Cell.of("detection-curve", **shared, **asked, defense=defense)
                    yield PlannedCell(panel.name, defense, None, seed, cell)


@dataclass(frozen=True, kw_only=True)
class DegreeForgery(Experiment):
    """Accuracy of the recipe under forged degrees, with and without its defense.

    Args:
        settings: ε of all users, each with the attacks on their reports.
        trusted: shares of training graphs that are learned from alone; liars in others then change nothing.
    """

    settings: tuple[tuple[float, tuple[Forged, ...]], ...]
    trusted: tuple[float, ...]

    def cells(self, setting: Scope) -> Iterator[PlannedCell]:
        """The recipe under forged degrees; a cell with one liar in each graph has no place on the axis of β."""
        for (epsilon, panels), seed in product(self.settings, range(setting.seeds)):
            draw = draw_of("recipe", setting, seed=seed, epsilon=epsilon, alpha=0.9, public_fraction=0.0)
            panel = f"ε = {epsilon:g}"
            honest = {each: Trial(draw, setting.ratios, seed, each, threat=Threat()) for each in (RECIPE, ROBUST)}
            for learner, trial in honest.items():
                yield PlannedCell(panel, f"{learner} {NOBODY}", 0.0, seed, trial)
            for share in self.trusted:
                alone = replace(honest[RECIPE], threat=None, trusted=share)
                yield PlannedCell(panel, f"{RECIPE} {TRUSTED}", share, seed, alone)
            for forged in panels:
                shares: list[tuple[float | None, Threat]] = [(x, Threat(fraction=x)) for x in forged.fractions]
                shares = shares or [(None, Threat(liars=1))]
                for learner, attack, (x, liars) in product(forged.learners, forged.attacks, shares):
                    trial = replace(honest[learner], threat=replace(liars, attack=attack, where=forged.where))
                    yield PlannedCell(panel, f"{learner} {forged.where} {attack}", x, seed, trial)


def _attack(name: str, fraction: float) -> Threat:
    """An attack as a panel names it; without malicious users all attacks are one."""
    if not fraction:
        return Threat()
    own = name.removesuffix(HONEST_DEGREE)
    return Threat(own, fraction, forge_degree=own == name)
