"""The folder of a training run's models: one file per seed, each with the trial that it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from graphldp.errors import ParameterError
from graphldp.experiments.cells import Row
from graphldp.experiments.measures.outcomes import CellOutcome
from graphldp.experiments.plans.setup import Setup, chosen
from graphldp.experiments.trial import Trial
from graphldp.learn.classifier import GraphClassifier, network_classifier
from graphldp.learn.fitting import Fitted
from graphldp.learn.grid import preference
from graphldp.learn.nodes.classifier import NodeClassifier
from graphldp.learn.saving import persistence
from graphldp.learn.saving.loading import KINDS
from graphldp.learn.tables.profile_classifier import ProfileClassifier

TRIAL = "trial"
"""The part of a model's provenance that names its trial."""


def classifier_of(outcome: CellOutcome) -> GraphClassifier | ProfileClassifier | None:
    """The graph classifier that a trial fitted, with its origin; None for a control."""
    trial = Trial.of(outcome.cell)
    fitted: object = outcome.model
    if isinstance(fitted, Fitted):
        fitted = network_classifier(fitted, seed=trial.seed, training=trial.training)
    if not isinstance(fitted, GraphClassifier | ProfileClassifier):
        return None
    fitted.provenance_ = {**fitted.provenance_, TRIAL: outcome.cell.id}
    return fitted


def user_classifier_of(outcome: CellOutcome) -> NodeClassifier | None:
    """The same for a trial about single users."""
    if not isinstance(outcome.model, NodeClassifier):
        return None
    outcome.model.provenance_ = {**outcome.model.provenance_, TRIAL: outcome.cell.id}
    return outcome.model


class ModelFolder:
    """A run's models, as ``seed-0.npz``, ``seed-1.npz`` and so on. A folder never mixes two runs.

    Args:
        path: the folder; made where there is none.
        setup: the run.

    Raises:
        ParameterError: where the folder holds models of another run.
    """

    def __init__(self, path: Path, setup: Setup) -> None:
        self.path, self._setup = path, setup
        self._best: dict[int, tuple[float, float]] = {}
        path.mkdir(parents=True, exist_ok=True)
        for file in sorted(path.glob("seed-*.npz")):
            seed = file.stem.removeprefix("seed-")
            known = {trial.cell.id for trial in setup.candidates(int(seed))} if seed.isdecimal() else set()
            if self._trial(file) not in known:
                raise ParameterError(
                    f"The 'out' parameter of graphldp train must be a new folder, or one of the same run. {path} holds "
                    "models of another run."
                )

    def file(self, seed: int) -> Path:
        """Where the model of a seed is."""
        return self.path / f"seed-{seed}.npz"

    def keep(self, outcome: CellOutcome) -> None:
        """Keep the model of a trial, unless the seed has one that is better on validation graphs; keep no controls."""
        fitted = user_classifier_of(outcome) or classifier_of(outcome)
        if fitted is None:
            return
        seed = outcome.cell.params["seed"]
        key = preference(outcome.numbers["val_accuracy"], outcome.numbers.get("val_loss", 0.0))
        if key < self._best.get(seed, (float("inf"), 0.0)):
            self._best[seed] = key
            fitted.save(self.file(seed))

    def absent(self, seeds: int, rows: Mapping[str, Row]) -> set[str]:
        """The chosen cells of finished seeds whose model is not here."""
        found = {seed: chosen(self._setup, seed, rows) for seed in range(seeds)}
        return {row.cell.id for seed, row in found.items() if row is not None and self._lacks(seed, row)}

    def _lacks(self, seed: int, row: Row) -> bool:
        return not self.file(seed).is_file() or self._trial(self.file(seed)) != row.cell.id

    @staticmethod
    def _trial(file: Path) -> str | None:
        return persistence.read(file, *KINDS, NodeClassifier.__name__).provenance.get(TRIAL)
