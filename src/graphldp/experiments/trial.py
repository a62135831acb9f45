"""A trial: the one value that says what is run, from raw graphs to a score.

    draw → attack? → defend? → split → fit → score

A trial is what an experiment, ``graphldp train`` and a point of a grid have in common. It is written as a cell of one
of five kinds, so that its numbers are known by what was computed; :func:`graphldp.experiments.trials.running.run`
computes it, and many of them together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphldp.errors import bad_parameter
from graphldp.experiments.cells import Cell
from graphldp.experiments.draws import Draw
from graphldp.learn.selection import split
from graphldp.threats import Attack
from graphldp.threats.named import make_attack, make_defense

NETWORK = "network"
"""The classifier of trials that train a graph neural network; the others read a table, one row per graph."""

RECIPE, ROBUST, WITNESSES = "recipe-2", "recipe-robust-6", "witnesses-3"
"""The recommended classifiers: the plain one, the one that withstands liars, and the one for witnesses."""

NODES = "node-classifier"
"""The classifier of trials about single users of one graph: :class:`graphldp.NodeClassifier`."""

LPGNNS = ("lpgnn", "lpgnn-labels", "lpgnn-other", "lpgnn-random")
"""LPGNN, which learns from public friendships and private features; with private labels too; and its two controls."""

NODE_LEARNERS = (NODES, "node-features", "node-similar", "node-view", "node-blink", *LPGNNS)
"""All classifiers of such trials: the first, what features alone say in three ways, Blink's own graph, and LPGNN."""

TRIALS = ("accuracy", "control", "poisoned-accuracy", "poisoned-control", "nodes")
"""The kinds of cells that are trials: a network or a table, without malicious users or with some; single users."""

Where = Literal["train", "test", "both"]
_PLACES = {"test": "in test graphs", "both": "in training and test graphs"}
_STOPS = (0.9, 0.1)  # of trusted graphs: to learn from, and to stop by
_IN_CELLS = {"degree": "degrees"}  # how cells about malicious users call a classifier


@dataclass(frozen=True)
class Threat:
    """A threat: who lies, and what the server does about it.

    Args:
        attack: a key of :data:`graphldp.threats.named.ATTACKS`; None where nobody lies.
        fraction: the share β of malicious users in an attacked graph.
        forge_degree: whether they forge d* to fit their lists.
        defense: a key of :data:`graphldp.threats.named.DEFENSES`, ``"none"``, or ``"perfect"``, which is told who lies.
        treatment: what becomes of flagged users.
        where: in which graphs they are: ``"train"``, ``"test"`` (evasion) or ``"both"``.
        liars: instead of a share, how many malicious users an attacked graph has.
    """

    attack: str | None = None
    fraction: float = 0.0
    forge_degree: bool = True
    defense: str = "none"
    treatment: str = ""
    where: Where = "train"
    liars: int | None = None

    def params(self) -> dict[str, Any]:
        """The parameters for a cell, without those that are the paper's: so its cells keep their identity."""
        found = asdict(self)
        for name in ("where", "liars"):
            if found[name] == getattr(Threat, name):
                del found[name]
        return found

    @property
    def learned(self) -> Threat:
        """The part of a threat that a classifier learns from: liars in training graphs."""
        if self.where == "test":
            return Threat(defense=self.defense, treatment=self.treatment)
        return replace(self, where="train")

    def make_attack(self) -> Attack | None:
        """The attack, where there is one."""
        if self.attack is None:
            return None
        who: dict[str, Any] = {"fraction": self.fraction} if self.liars is None else {"liars": self.liars}
        return make_attack(self.attack, forge_degree=self.forge_degree, **who)

    @classmethod
    def named(
        cls,
        attack: str | None,
        fraction: float,
        defense: str | None,
        *,
        forge_degree: bool = True,
        treatment: str | None = None,
        where: str = "train",
        liars: int | None = None,
    ) -> Threat:
        """A threat from what a user wrote; a name that is not there, or a wrong share, is an error here.

        Args:
            attack: None where nobody lies.
            fraction: β.
            defense: None for no defense.
            forge_degree: whether liars forge d*, too.
            treatment: the defense's own unless said.
            where: in which graphs they lie.
            liars: how many of each graph, instead of β.
        """
        if where not in get_args(Where):
            raise bad_parameter("where", "graphldp", f"one of {', '.join(get_args(Where))}", where)
        made = cls(attack, fraction, forge_degree, where=cast("Where", where), liars=liars)
        made.make_attack()
        if defense is None:
            return made
        return replace(made, defense=defense, treatment=make_defense(defense, treatment=treatment).treatment)

    def __str__(self) -> str:
        """The threat in words, as the title of a run has them."""
        parts = []
        if self.attack is not None:
            liars = f"β = {self.fraction:g}" if self.liars is None else f"{self.liars} in each graph"
            place = "" if self.where == "train" else f", {_PLACES[self.where]}"
            parts.append(f"attack {self.attack}, {liars}{place}" + ("" if self.forge_degree else ", honest d*"))
        if self.defense != "none":
            parts.append(f"defense {self.defense}" + (f", {self.treatment}" if self.treatment else ""))
        return "; ".join(parts) or "no attack, no defense"


@dataclass(frozen=True)
class Trial:
    """A trial: what is run.

    Args:
        draw: the dataset, the mechanism with its parameters, and the seed of its noise.
        ratios: the shares of training, validation and test graphs, or of users of one graph.
        seed: of the split, of malicious users and of the classifier.
        classifier: :data:`NETWORK`, one that :func:`graphldp.experiments.trials.running.table_classifier` knows, or one
            of :data:`NODE_LEARNERS`.
        model: what a network looks like, as in :class:`graphldp.learn.engine.gin.ModelSpec`; settings of another
            classifier, where they are not its own.
        training: how it is trained, as in :class:`graphldp.learn.engine.one_training.TrainingOptions`.
        threat: attack and defense; None where the trial is not about them.
        trusted: the share of training graphs that are known to be honest, and are learned from alone; None for all.
    """

    draw: Draw
    ratios: tuple[float, ...]
    seed: int
    classifier: str = NETWORK
    model: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    threat: Threat | None = None
    trusted: float | None = None

    def parts(self, labels: ArrayLike | None) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Graphs to learn from, to stop by and to measure by.

        Where only some graphs are trusted, a network holds out a tenth of these to stop by.
        """
        learn, stop, test = split(labels, self.ratios, self.seed)
        if self.trusted is None:
            return learn, stop, test
        learn, known = trusted_graphs(labels, self.ratios, self.seed, self.trusted), np.asarray(labels)
        if self.classifier == NETWORK:
            rest, held = split(known[learn], _STOPS, self.seed)
            learn, stop = learn[rest], learn[held]
        return learn, stop, test

    @cached_property
    def cell(self) -> Cell:
        """The cell that names it in results."""
        common: dict[str, Any] = {"draw": self.draw.params(), "ratios": list(self.ratios), "seed": self.seed}
        if self.classifier in NODE_LEARNERS:
            return Cell.of("nodes", **common, learner=self.classifier)
        if self.threat is not None:
            common |= self.threat.params()
        if self.trusted is not None:
            common["trusted"] = self.trusted
        if self.classifier == NETWORK:
            kind = "accuracy" if self.threat is None else "poisoned-accuracy"
            return Cell.of(kind, **common, model=dict(self.model), training=dict(self.training))
        if self.model:
            common["model"] = dict(self.model)
        if self.threat is None:
            return Cell.of("control", **common, control=self.classifier)
        return Cell.of("poisoned-control", **common, learner=_IN_CELLS.get(self.classifier, self.classifier))

    @classmethod
    def of(cls, cell: Cell) -> Trial:
        """The trial that a cell of one of the kinds :data:`TRIALS` names."""
        left = dict(cell.params)
        draw, ratios, seed = Draw.of(left.pop("draw")), tuple(left.pop("ratios")), left.pop("seed")
        model, training = left.pop("model", {}), left.pop("training", {})
        learner, trusted = left.pop("learner", None), left.pop("trusted", None)
        called = {theirs: ours for ours, theirs in _IN_CELLS.items()}.get(learner, learner)
        name = left.pop("control", called) or NETWORK
        return cls(draw, ratios, seed, name, model, training, Threat(**left) if left else None, trusted)


Work = Trial | Cell
"""What is planned and computed: a trial, or a cell of another kind."""


def work_of(work: Work) -> Work:
    """The trial that a cell of one of their kinds names, as it was read from a file; all else as it is."""
    return Trial.of(work) if isinstance(work, Cell) and work.kind in TRIALS else work


def trusted_graphs(labels: ArrayLike | None, ratios: Sequence[float], seed: int, share: float) -> NDArray[np.int64]:
    """The training graphs that are known to be honest: so large a share of each class, drawn by the seed."""
    learn = split(labels, ratios, seed)[0]
    return np.asarray(learn[split(np.asarray(labels)[learn], (share, 1.0 - share), seed)[0]])
