"""A comparison: mechanisms beside each other at several ε, as a plan like any other.

``gl.compare`` asks for one. Its trials are those of ``graphldp train``, so the same setting is the same cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any

import numpy as np

from graphldp.errors import BudgetError, ParameterError, bad_parameter
from graphldp.experiments.cells import canonical
from graphldp.experiments.draws import Draw
from graphldp.experiments.plans.plan import COMPARISON, ExperimentPlan
from graphldp.experiments.plans.scope import PlannedCell
from graphldp.experiments.plans.setup import RECIPE, RECOMMENDED, ROBUST, allowed, draw_for, split_settings
from graphldp.experiments.trial import NETWORK, Trial
from graphldp.graphs import GraphSet
from graphldp.learn.classifier import GCNClassifier, GINClassifier, GraphClassifier, SAGEClassifier
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier
from graphldp.mechanisms import Mechanism, NoisyDegrees, NonPrivFull
from graphldp.mechanisms.named import at_hand, name_of, named
from graphldp.own import is_reference, reference_of

Entry = str | type[Mechanism] | Callable[[float], Mechanism]
"""What is compared: a name of the table or ``module:Class``, ``"recommended"``, a class, or a function of ε."""

NETWORKS: dict[str, type[GraphClassifier]] = {"gin": GINClassifier, "gcn": GCNClassifier, "sage": SAGEClassifier}
SIZE, DEGREES = "n alone", "n and noisy degrees"
"""How the two controls are called."""

_SIZE, _DEGREE = "size", "degree"  # as trials name their classifiers
_TRUE = name_of(NonPrivFull)  # of which n is read
_DEGREES_BY = name_of(NoisyDegrees)
_ELSEWHERE = ("seed", "device")  # of a classifier: a trial has its own seed, and a run its device


@dataclass(frozen=True)
class Learner:
    """What learns from reports, as trials name it.

    Args:
        classifier: of the trial.
        model: what a network looks like.
        training: how it is trained.
    """

    classifier: str = RECIPE
    model: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.classifier != NETWORK:
            words = [RECOMMENDED] if self.classifier == RECIPE else [RECOMMENDED, "robust"]
            return ", ".join([*words, *(f"{key}={value}" for key, value in self.model.items())])
        settings = {**self.model, **self.training}
        name = settings.pop("convolution", "gin")
        return f"{name}({', '.join(f'{key}={value}' for key, value in settings.items())})"


def learner_of(classifier: object) -> Learner:
    """A classifier, or the name of one, as a trial describes it."""
    made = NETWORKS[classifier]() if isinstance(classifier, str) and classifier in NETWORKS else classifier
    if isinstance(made, GraphClassifier):
        given = {name: value for name, value in made.get_params().items() if name not in _ELSEWHERE}
        return Learner(NETWORK, *split_settings({"convolution": made.convolution, **given}))
    if isinstance(made, RobustProfileClassifier):
        return Learner(ROBUST, allowed(made.allowance, type(made).__name__))
    if made == RECOMMENDED or isinstance(made, ProfileClassifier):
        return Learner(RECIPE)
    kinds = f"'recommended', {', '.join(map(repr, NETWORKS))}, or an unfitted classifier of graphldp"
    raise bad_parameter("classifier", "compare", kinds, classifier)


def draw_of(label: str, entry: Entry, dataset: str, graphs: GraphSet, epsilon: float, public_fraction: float) -> Draw:
    """The draw of a contestant at one ε, without a seed.

    An ε that cannot be split as a mechanism asks is no error here: its cells say so, and the others are computed.
    """
    name, options = _named(label, entry, epsilon)
    try:
        return draw_for(dataset, graphs, name, epsilon, public_fraction, options)
    except BudgetError:
        return Draw(dataset, named(name).name, epsilon, None, public_fraction)


def _named(label: str, entry: Entry, epsilon: float) -> tuple[str, dict[str, Any]]:
    """A mechanism's name, and its parameters beside ε where they are not its own defaults."""
    if isinstance(entry, str):
        return entry, {}
    if isinstance(entry, type):
        if issubclass(entry, Mechanism):
            return _known(label, entry), {}
        raise _no_entry(label, entry)
    made = entry(epsilon) if callable(entry) else None
    if not isinstance(made, Mechanism):
        raise _no_entry(label, entry)
    name, options = _known(label, type(made)), _options(label, made)
    if named(name).private and not (np.ndim(made.epsilon) == 0 and made.epsilon == epsilon):
        raise bad_parameter(label, "compare", f"a function whose mechanism spends the ε it is given, {epsilon:g}", made)
    return name, options


def _no_entry(label: str, given: object) -> ParameterError:
    must_be = "a mechanism's class or name, 'recommended', or a function from ε to a mechanism"
    return bad_parameter(label, "compare", must_be, given)


def _known(label: str, kind: type[Mechanism]) -> str:
    name = name_of(kind)
    if "<locals>" in name:
        must_be = "a class at the top of a module, or one that gl.register knows"
        raise bad_parameter(label, "compare", must_be, kind.__qualname__)
    return name


def _options(label: str, made: Mechanism) -> dict[str, Any]:
    """The parameters beside ε that are not the mechanism's own defaults."""
    found = {}
    for each in fields(made):
        value = getattr(made, each.name, None)
        if each.init and each.name != "epsilon" and (each.default is MISSING or not _same(value, each.default)):
            found[each.name] = value
    try:
        canonical(found)
    except (TypeError, ValueError):
        raise bad_parameter(label, "compare", "a mechanism whose parameters are numbers or words", made) from None
    return found


def _same(value: object, default: object) -> bool:
    return type(value) is type(default) and bool(value == default)


def own_classes(draws: Iterable[Draw], entries: Iterable[Entry]) -> tuple[str, ...] | None:
    """References by which another process loads the classes that are not ours; None where it could not.

    It cannot load a class that this process alone knows: registered here, or written in a notebook or the main program.
    """
    given = {named(each).kind: each for each in entries if isinstance(each, str) and is_reference(each)}
    found = []
    for kind in {at_hand(draw.mechanism).kind for draw in draws if draw.mechanism != RECOMMENDED}:
        reference = given.get(kind, reference_of(kind))
        if kind.__module__.startswith("graphldp."):
            continue
        if (
            name_of(kind) != reference_of(kind)
            or kind.__module__ == "__main__"
            or (kind not in given and "@" in reference)
        ):
            return None
        found.append(reference)
    return tuple(sorted(found))


def comparison_plan(
    dataset: str,
    contestants: Mapping[str, Mapping[float, Draw]],
    learners: Mapping[str, Learner],
    seeds: int,
    ratios: tuple[float, ...],
    *,
    controls: bool = True,
) -> ExperimentPlan:
    """What to compute.

    Args:
        dataset: as cells name it.
        contestants: the draws of each by ε, without a seed.
        learners: what learns from the reports of each.
        seeds: how many: 0, 1, 2, …
        ratios: the shares of training, validation and test graphs.
        controls: whether n alone, and n with noisy degrees, stand beside them.
    """
    lines: list[tuple[str, Learner, float, Draw]] = [
        (label, learners[label], x, draw) for label, draws in contestants.items() for x, draw in draws.items()
    ]
    for x, draw in next(iter(contestants.values())).items() if controls else ():
        beside = Draw(dataset, _DEGREES_BY, x, None, draw.public_fraction)
        lines += [(SIZE, Learner(_SIZE), x, Draw(dataset, _TRUE)), (DEGREES, Learner(_DEGREE), x, beside)]
    entries = {}
    for label, learner, x, draw in lines:
        across = draw.epsilon is None  # the same at every ε
        for seed in range(seeds):
            own = draw if draw.mechanism == _TRUE else replace(draw, seed=seed)
            trial = Trial(own, ratios, seed, learner.classifier, learner.model, learner.training)
            place = PlannedCell("", label, None if across else x, seed, trial.cell)
            entries[label, place.x, seed] = place
    draws = next(iter(contestants.values()))
    words = [", ".join(f"{label}: {learners[label]}" for label in contestants)]
    words += [f"ε = {', '.join(f'{x:g}' for x in draws)}", "split " + "/".join(f"{share:g}" for share in ratios)]
    public = next(iter(draws.values())).public_fraction
    words += [f"λ = {public:g}"] if public else []
    return ExperimentPlan(COMPARISON, dataset, "; ".join(words), seeds, "", tuple(entries.values()))
