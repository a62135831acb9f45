"""Which numbers an experiment about single users needs: one trial for each method, ε and split."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from graphldp.experiments.draws import Draw
from graphldp.experiments.plans.kinds import Experiment, NodeSweep
from graphldp.experiments.plans.methods import ACROSS
from graphldp.experiments.plans.scope import PlannedCell, Scope, draw_of
from graphldp.experiments.trial import LPGNNS, NODE_LEARNERS, NODES, Trial
from graphldp.mechanisms import DPRR, MultiBit, NonPrivFull
from graphldp.mechanisms.named import name_of, named

_LEARNERS = {"blink": "node-blink"}  # where it is not the mechanism's reports that are read


def user_cells(spec: Experiment, setting: Scope) -> Iterator[PlannedCell]:
    """All cells of a :class:`NodeSweep`, split by split."""
    assert isinstance(spec, NodeSweep)  # noqa: S101
    seeds = range(spec.first_seed, spec.first_seed + setting.seeds)
    for seed, method in product(seeds, spec.methods):
        across = method in ACROSS or (method in NODE_LEARNERS and method not in LPGNNS)
        learner = method if method in NODE_LEARNERS else _LEARNERS.get(method, NODES)
        for epsilon in (None,) if across else spec.epsilon:
            trial = Trial(_draw(method, setting, seed, epsilon), spec.ratios, seed, learner)
            yield PlannedCell("", method, epsilon, seed, trial.cell)


def _draw(method: str, setting: Scope, seed: int, epsilon: float | None) -> Draw:
    """As 'graphldp train --task nodes' draws, so that the same training is the same cell."""
    if epsilon is None:
        return Draw(setting.dataset, name_of(NonPrivFull))
    name = name_of(MultiBit) if method in LPGNNS else method
    if named(name).kind is DPRR:
        return draw_of(method, setting, seed=seed, epsilon=epsilon, alpha=0.9, public_fraction=0.0)
    options = tuple(sorted(named(name).settings({}).items()))
    return Draw(setting.dataset, name, epsilon, seed=seed, options=options)
