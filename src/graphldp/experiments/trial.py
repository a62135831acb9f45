"""A trial: the one value that says what is run, from raw graphs to a score.

    draw → attack? → defend? → split → fit → score

A trial is what an experiment, ``graphldp train`` and a point of a grid have in common. It is written as a cell of one
of four kinds, so that its numbers are known by what was computed; :func:`graphldp.experiments.trials.run` computes it,
and many of them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Draw
from graphldp.threats.named import make_attack, make_defense

NETWORK = "network"
"""The classifier of trials that train a graph neural network; the others read a table, one row per graph."""

TRIALS = ("accuracy", "control", "poisoned-accuracy", "poisoned-control")
"""The kinds of cells that are trials: a network or a table, without malicious users or with some."""

_IN_CELLS = {"degree": "degrees"}  # how cells about malicious users call a classifier


@dataclass(frozen=True)
class Threat:
    """Who lies, and what the server does about it.

    Args:
        attack: a key of :data:`graphldp.threats.named.ATTACKS`; None where nobody lies.
        fraction: the share β of malicious users in the training graphs.
        forge_degree: whether they forge d* to fit their lists.
        defense: a key of :data:`graphldp.threats.named.DEFENSES`, ``"none"``, or ``"perfect"``, which is told who lies.
        treatment: what becomes of flagged users.
    """

    attack: str | None = None
    fraction: float = 0.0
    forge_degree: bool = True
    defense: str = "none"
    treatment: str = ""

    @classmethod
    def named(
        cls,
        attack: str | None,
        fraction: float,
        defense: str | None,
        *,
        forge_degree: bool = True,
        treatment: str | None = None,
    ) -> Threat:
        """A threat from what a user wrote; a name that is not there, or a wrong share, is an error here.

        Args:
            attack: None where nobody lies.
            fraction: β.
            defense: None for no defense.
            forge_degree: whether liars forge d*, too.
            treatment: the defense's own unless said.
        """
        if attack is not None:
            make_attack(attack, fraction=fraction, forge_degree=forge_degree)
        if defense is None:
            return cls(attack, fraction, forge_degree)
        return cls(attack, fraction, forge_degree, defense, make_defense(defense, treatment=treatment).treatment)

    def __str__(self) -> str:
        """In words, as the title of a run has them."""
        parts = []
        if self.attack is not None:
            parts.append(f"attack {self.attack}, β = {self.fraction:g}" + ("" if self.forge_degree else ", honest d*"))
        if self.defense != "none":
            parts.append(f"defense {self.defense}" + (f", {self.treatment}" if self.treatment else ""))
        return "; ".join(parts) or "no attack, no defense"


@dataclass(frozen=True)
class Trial:
    """What is run.

    Args:
        draw: the dataset, the mechanism with its parameters, and the seed of its noise.
        ratios: the shares of training, validation and test graphs.
        seed: of the split, of malicious users and of the classifier.
        classifier: :data:`NETWORK`, or a key of :data:`graphldp.experiments.trials.TABLES`.
        model: what a network looks like, as in :class:`graphldp.learn.engine.gin.ModelSpec`.
        training: how it is trained, as in :class:`graphldp.learn.engine.training.TrainingOptions`.
        threat: attack and defense; None where the trial is not about them.
    """

    draw: Draw
    ratios: tuple[float, ...]
    seed: int
    classifier: str = NETWORK
    model: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    threat: Threat | None = None

    @property
    def cell(self) -> Cell:
        """How results name it."""
        common: dict[str, Any] = {"draw": self.draw.params(), "ratios": list(self.ratios), "seed": self.seed}
        if self.threat is not None:
            common |= asdict(self.threat)
        if self.classifier == NETWORK:
            kind = "accuracy" if self.threat is None else "poisoned-accuracy"
            return Cell.of(kind, **common, model=dict(self.model), training=dict(self.training))
        if self.threat is None:
            return Cell.of("control", **common, control=self.classifier)
        return Cell.of("poisoned-control", **common, learner=_IN_CELLS.get(self.classifier, self.classifier))

    @classmethod
    def of(cls, cell: Cell) -> Trial:
        """The trial that a cell of one of the kinds :data:`TRIALS` names."""
        left = dict(cell.params)
        draw, ratios, seed = Draw.of(left.pop("draw")), tuple(left.pop("ratios")), left.pop("seed")
        model, training = left.pop("model", {}), left.pop("training", {})
        learner = left.pop("learner", None)
        called = {theirs: ours for ours, theirs in _IN_CELLS.items()}.get(learner, learner)
        name = left.pop("control", called) or NETWORK
        return cls(draw, ratios, seed, name, model, training, Threat(**left) if left else None)
