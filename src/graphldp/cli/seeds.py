"""What ``graphldp train`` does for each seed, and what the seeds say together."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphldp.cli.mechanisms import make_mechanism, private_epsilon
from graphldp.cli.progress import TrainingDisplay
from graphldp.cli.runs import RunFolder
from graphldp.cli.tensorboard import Logs
from graphldp.graphs import GraphSet
from graphldp.learn import metrics
from graphldp.learn.classifier import GINClassifier
from graphldp.learn.engine.training import EpochRecord, resolve_device
from graphldp.learn.fitting import Fit, fit_many
from graphldp.learn.grid import Grid, paper_grid
from graphldp.learn.inputs import given_labels
from graphldp.learn.recipe import recommended
from graphldp.learn.search import select
from graphldp.learn.selection import split
from graphldp.learn.tables.controls import DegreeControl, SizeControl
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.tabular import TableClassifier

if TYPE_CHECKING:
    from graphldp.reports import Reports

RECOMMENDED = "recommended"
Watch = Callable[[int, EpochRecord], None]
CONTESTANTS = {"gin": "GIN", "recommended": "recommended", "degrees": "degrees only", "size": "n only"}


@dataclass(frozen=True)
class Settings:
    """Everything that decides a run's results, beside the seed and the device."""

    source: str
    dataset: str
    graphs: int
    users: int
    noise: dict[str, Any] | None
    classifier: dict[str, Any]
    grid: bool
    split: list[float]


def run(
    data: GraphSet | Reports,
    settings: Settings,
    folder: RunFolder,
    *,
    seeds: int,
    device: str,
    together: int | None,
    tensorboard: Path | None,
) -> None:
    """Train and test every seed that the folder does not hold yet."""
    at_once = together or (seeds if resolve_device(device).type == "cuda" else 1)
    waiting = [seed for seed in range(seeds) if seed not in folder.finished]
    points = len(paper_grid(settings.dataset)) if settings.grid else 1
    with TrainingDisplay() as display, Logs(tensorboard) as logs:

        def watch(seed: int, record: EpochRecord) -> None:
            display.epoch(seed, record)
            if not settings.grid:
                logs.write(seed, record)

        for start in range(0, len(waiting), at_once):
            batch = waiting[start : start + at_once]
            for seed in batch:
                display.begin(seed, settings.classifier["max_epochs"] * points)
            cases = [Case(data, settings, seed, device) for seed in batch]
            _train(cases, settings, folder, watch)
            for case in cases:
                row = next(each for each in folder.rows if each["seed"] == case.seed)
                display.end(case.seed, f"accuracy {row['gin']['accuracy']:.4f}, best epoch {row['best_epoch']}")
                if settings.grid:
                    logs.write(case.seed, *case.classifier.history_)


class Case:
    """One seed: its noise, its split, and an unfitted classifier."""

    def __init__(self, data: GraphSet | Reports, settings: Settings, seed: int, device: str) -> None:
        self.seed = seed
        graphs = noised(data, settings.noise, seed)
        labels = given_labels(graphs, None)
        train, validation, test = split(labels, settings.split, seed)
        self.train, self.validation, self.test = graphs[train], graphs[validation], graphs[test]
        self.classifier = GINClassifier(**settings.classifier, seed=seed, device=device)

    def search(self, grid: Grid, watch: Watch) -> None:
        """Put the best point of a grid in the classifier's place."""
        found = select(
            self.train,
            validation=self.validation,
            grid=grid,
            base=self.classifier,
            on_epoch=lambda _, record: watch(self.seed, record),
        )
        self.classifier = found.classifier


def noised(data: GraphSet | Reports, noise: dict[str, Any] | None, seed: int) -> GraphSet | Reports:
    """Reports drawn with this seed; a file of reports is taken as it is."""
    if noise is None or not isinstance(data, GraphSet):
        return data
    epsilon = private_epsilon(data, noise["epsilon"], noise["public_fraction"], seed)
    if noise["mechanism"] == RECOMMENDED:
        return recommended(epsilon).mechanism.randomize(data, rng=seed)
    options = {name: noise[name] for name in ("allocation", "alpha", "noise", "sampling")}
    return make_mechanism(noise["mechanism"], epsilon, **options).randomize(data, rng=seed)


def _train(cases: Sequence[Case], settings: Settings, folder: RunFolder, watch: Watch) -> None:
    start = time.perf_counter()
    if settings.grid:
        for case in cases:
            case.search(paper_grid(settings.dataset), watch)
    else:
        fits = [Fit(case.classifier, case.train, validation=case.validation) for case in cases]
        done = fit_many(fits, on_epoch=lambda position, record: watch(cases[position].seed, record))
        for case, fitted in zip(cases, done, strict=True):
            case.classifier.adopt(fitted)
    seconds = (time.perf_counter() - start) / len(cases)
    for case in cases:
        name = f"seed-{case.seed}.npz"
        case.classifier.save(folder.path / name)
        folder.add(_test(case) | {"seconds": round(seconds, 3), "model": name})


def _test(case: Case) -> dict[str, Any]:
    clf = case.classifier
    params = {name: getattr(clf, name) for name in ("layers", "hidden", "lr", "dropout")}
    best = clf.history_[clf.best_epoch_ - 1]
    return compare("gin", clf, case.train, case.test) | {
        "params": params,
        "epochs": clf.n_epochs_,
        "best_epoch": clf.best_epoch_,
        "val_accuracy": best.val_accuracy,
        "val_loss": best.val_loss,
    }


def compare(
    name: str, clf: GINClassifier | ProfileClassifier, train: GraphSet | Reports, test: GraphSet | Reports
) -> dict[str, Any]:
    """Read the test graphs, once: a fitted classifier beside the controls."""
    truth = given_labels(test, None)
    contestants: dict[str, GINClassifier | TableClassifier] = {
        name: clf,
        "degrees": DegreeControl(clf.seed).fit(train),
        "size": SizeControl(clf.seed).fit(train),
    }
    row: dict[str, Any] = {"seed": clf.seed}
    row |= {key: clf.provenance_[key] for key in ("epsilon", "mechanism")}
    for key, each in contestants.items():
        scores = metrics.evaluate(each.classes_, each.predict_proba(test), truth)
        row[key] = {"accuracy": scores.accuracy, "auc": _number(scores.auc)}
        if key == name:
            row |= {"classes": each.classes_.tolist(), "confusion": scores.confusion.tolist()}
    return row


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Mean, deviation and interval of each contestant's accuracy and AUC; None where there is none."""
    table: dict[str, dict[str, dict[str, Any]]] = {}
    for name in (each for each in CONTESTANTS if each in rows[0]):
        table[name] = {}
        for what in ("accuracy", "auc"):
            values = [math.nan if row[name][what] is None else row[name][what] for row in rows]
            found = asdict(metrics.summarize(values))
            table[name][what] = {key: _number(value) for key, value in found.items()}
    return table


def _number(value: float) -> float | None:
    """JSON knows no NaN."""
    return None if math.isnan(value) else value
