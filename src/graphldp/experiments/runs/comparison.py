"""A comparison: mechanisms beside each other at several ε, as a plan like any other, and how it is run.

``gl.compare`` asks for one. Its trials are those of ``graphldp train``, so the same setting is the same cell.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.console import Console

from graphldp.datasets.registry import split_ratios
from graphldp.errors import BudgetError, DataError, ParameterError, bad_parameter
from graphldp.experiments.cells import Row, canonical
from graphldp.experiments.draws import RECOMMENDED, Context, Draw, mechanism_of
from graphldp.experiments.engines.local import HereEngine
from graphldp.experiments.plans.plan import COMPARISON, ExperimentPlan, file_id
from graphldp.experiments.plans.scope import PlannedCell
from graphldp.experiments.plans.setup import allowed, draw_for, split_settings
from graphldp.experiments.results import ResultsFile
from graphldp.experiments.runs.runner import CellsDisplay, missing, run
from graphldp.experiments.trial import NETWORK, RECIPE, ROBUST, Trial
from graphldp.files.own import is_reference, reference_of
from graphldp.graphs import GraphSet
from graphldp.learn.classifier import NETWORKS, GraphClassifier
from graphldp.learn.engine.training import resolve_device
from graphldp.learn.selection import split
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.robust_classifier import RobustProfileClassifier
from graphldp.mechanisms import Mechanism, NoisyDegrees, NonPrivFull
from graphldp.mechanisms.named import at_hand, name_of, named

Entry = str | type[Mechanism] | Callable[[float], Mechanism]
"""What is compared: a name of the table or ``module:Class``, ``"recommended"``, a class, or a function of ε."""

SIZE, DEGREES = "n alone", "n and noisy degrees"
"""How the two controls are called."""

_TRUE = name_of(NonPrivFull)  # of which n is read
_DEGREES_BY = name_of(NoisyDegrees)
_ELSEWHERE = ("seed", "device")  # of a classifier: a trial has its own seed, and a run its device


@dataclass(frozen=True)
class Learner:
    """A learner from reports, as trials name it.

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
    contestants: Mapping[str, Mapping[float, Draw]],
    learners: Mapping[str, Learner],
    seeds: int,
    ratios: tuple[float, ...],
    *,
    controls: bool = True,
) -> ExperimentPlan:
    """The plan of a comparison.

    Args:
        contestants: the draws of each by ε, without a seed.
        learners: what learns from the reports of each.
        seeds: how many: 0, 1, 2, …
        ratios: the shares of training, validation and test graphs.
        controls: whether n alone, and n with noisy degrees, stand beside them.
    """
    lines = [(label, learners[label], x, draw) for label, own in contestants.items() for x, draw in own.items()]
    first = next(iter(contestants.values()))
    dataset, public = next((draw.dataset, draw.public_fraction) for draw in first.values())
    for x in first if controls else ():
        beside = Draw(dataset, _DEGREES_BY, x, None, public)
        lines += [(SIZE, Learner("size"), x, Draw(dataset, _TRUE)), (DEGREES, Learner("degree"), x, beside)]
    entries = {}
    for label, learner, x, draw in lines:
        at = None if draw.epsilon is None else x  # the same at every ε
        for seed in range(seeds):
            own = draw if draw.mechanism == _TRUE else replace(draw, seed=seed)
            trial = Trial(own, ratios, seed, learner.classifier, learner.model, learner.training)
            entries[label, at, seed] = PlannedCell("", label, at, seed, trial)
    words = [", ".join(f"{label}: {learners[label]}" for label in contestants)]
    words += [f"ε = {', '.join(f'{x:g}' for x in first)}", "split " + "/".join(f"{share:g}" for share in ratios)]
    words += [f"λ = {public:g}"] if public else []
    return ExperimentPlan(COMPARISON, dataset, "; ".join(words), seeds, "", tuple(entries.values()))


def run_comparison(
    graphs: GraphSet,
    contestants: Mapping[str, Entry],
    epsilon: float | Iterable[float],
    seeds: int,
    *,
    classifier: object,
    controls: bool,
    public_fraction: float,
    ratios: tuple[float, float, float] | None,
    results: str | os.PathLike[str] | None,
    workers: int | None,
    device: str,
    progress: bool,
) -> tuple[ExperimentPlan, dict[str, Row]]:
    """The plan and its rows; see :func:`graphldp.compare` for the arguments."""
    epsilons = _epsilons(epsilon)
    learner = learner_of(classifier)
    _check(graphs, contestants, seeds, workers)
    parts = tuple(ratios or split_ratios(graphs.name))
    split(graphs.labels, parts, 0)  # the errors for shares that cannot be
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="graphldp-")))
        file = folder / f"{graphs.name or 'graphs'}.npz".replace(os.sep, "-")
        graphs.save(file)
        dataset, files = file_id(file)
        draws = {
            label: {x: draw_of(label, entry, dataset, graphs, x, public_fraction) for x in epsilons}
            for label, entry in contestants.items()
        }
        flat = [each for own in draws.values() for each in own.values()]
        for each in flat:
            mechanism_of(replace(each, seed=0), graphs)
        learners = {label: _learner(entry, learner) for label, entry in contestants.items()}
        plan = comparison_plan(draws, learners, seeds, parts, controls=controls)
        own = own_classes(flat, contestants.values())
        given = {dataset: graphs}
        context = Context(files=tuple(files.items()), device=str(resolve_device(device)), own=own or (), given=given)
        table = stack.enter_context(ResultsFile(folder / "results.sqlite" if results is None else results))
        display = stack.enter_context(CellsDisplay(len(missing([plan], table)), Console(stderr=True), shown=progress))
        here = own is None or (workers or _sensible_workers()) == 1
        run([plan], table, context, engine=HereEngine() if here else None, workers=workers, on_row=display.row)
        rows = table.rows()
    return plan, {entry.cell.id: rows[entry.cell.id] for entry in plan.entries}


def _learner(entry: Entry, learner: Learner) -> Learner:
    """The recipe is a mechanism and a classifier: it keeps its own where the others have a network."""
    return Learner() if isinstance(entry, str) and entry == RECOMMENDED and learner.classifier == NETWORK else learner


def _sensible_workers() -> int | None:
    """Processes are started by running the main program's file again, so only a notebook or a console has some."""
    return 1 if hasattr(sys.modules["__main__"], "__file__") else None


def _epsilons(epsilon: float | Iterable[float]) -> list[float]:
    given = list(epsilon) if isinstance(epsilon, Iterable) and not isinstance(epsilon, str) else [epsilon]
    found = [float(each) for each in given if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(found) != len(given) or not found or not all(0 < each < math.inf for each in found):
        raise bad_parameter("epsilon", "compare", "positive numbers", epsilon)
    return sorted(set(found))


def _check(graphs: object, contestants: object, seeds: object, workers: object) -> None:
    if not isinstance(graphs, GraphSet):
        raise bad_parameter("graphs", "compare", "a GraphSet: each seed draws its own reports", type(graphs).__name__)
    if graphs.labels is None:
        raise DataError("These graphs have no labels to learn: gl.compare classifies graphs.")
    named = isinstance(contestants, Mapping) and contestants and all(isinstance(each, str) for each in contestants)
    if not named or {SIZE, DEGREES} & set(contestants):  # type: ignore[call-overload]
        form = f"mechanisms by a name each, other than {SIZE!r} and {DEGREES!r}"
        raise bad_parameter("mechanisms", "compare", form, contestants)
    for name, value in (("seeds", seeds), ("workers", 1 if workers is None else workers)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise bad_parameter(name, "compare", "a whole number of at least 1", value)
