"""Graph neural networks that label whole graphs, as scikit-learn estimators: GIN, GCN and GraphSAGE.

The paper's classifier (Section 5.1) is :class:`GINClassifier`: GIN-0 on a constant feature, trained with Adam and a
step schedule, stopped early on validation loss. What a classifier learns from are noisy reports or raw graphs; it does
not know which.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import KW_ONLY, asdict, dataclass, fields
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from graphldp.errors import FormatError
from graphldp.learn.calibration import Calibration
from graphldp.learn.engine.gin import ModelSpec, parameters, statistics
from graphldp.learn.engine.one_training import EpochRecord, Training, TrainingOptions
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.training import predict_proba, resolve_device
from graphldp.learn.fitting import Fitted, fit_each
from graphldp.learn.inputs import (
    among_trusted,
    check_lists,
    given_labels,
    graphs_of,
    labels_of,
    num_features,
    provenance_of,
)
from graphldp.learn.metrics import codes_of, evaluate
from graphldp.learn.progress import shown_epochs
from graphldp.learn.saving import SavedClassifier, read
from graphldp.learn.selection import split
from graphldp.neighbour_lists import NeighbourLists

Validation = NeighbourLists | tuple[NeighbourLists, ArrayLike]
_LEARN_AND_STOP = 0.9, 0.1


@dataclass(eq=False, repr=False)
class GraphClassifier(SavedClassifier):
    """A graph neural network that labels whole graphs; its kinds differ in the convolution alone.

    Follows scikit-learn: parameters are checked in :meth:`fit`, what is learned ends in an underscore, and it works in
    ``cross_val_score``, ``GridSearchCV`` and pipelines with a set of graphs as X::

        clf = gl.GINClassifier(layers=5, hidden=64, seed=0).fit(train, validation=val)
        clf.predict(test), clf.predict_proba(test), clf.score(test)

    Args:
        layers: layers, counted with the input layer: one more than there are convolutions.
        hidden: hidden units.
        dropout: the chance that a graph's score is dropped in training.
        lr: Adam's initial learning rate.
        seed: of weights, batches, dropout and the held-out tenth: the same seed gives the same classifier on one
            machine.
        device: ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"mps"`` (the last is untested).
        readout: ``"mean"`` (the paper's) or ``"sum"``.
        features: what a user begins with: ``"constant"`` (the paper's), ``"degree"``, one-hot of the reported list's
            length, ``"noisy-degree"``, the bin of d*, ``"size"``, the bin of n, ``"profile"``, bins of d*, of the
            length of her list, of how many list her, and of n, or ``"columns"``, the bin of d* and her columns: public
            ones as they are, private ones by what was told of them.
        graph_features: ``"none"`` (the paper's), ``"size"`` or ``"degrees"``: beside the users' embeddings a small
            network sees each graph's log n, or that, the histogram of d* and the largest d*, and adds to the scores.
        directions: aggregate over whom a user lists, ``"own"`` (the paper's), or also over those who list her,
            ``"both"``.
        weights: how much a reported entry counts: ``"none"`` (the paper's), all the same, or ``"posterior"``, by how
            likely it is an edge.
        batch_size: graphs in a batch.
        max_epochs: the most epochs.
        min_epochs: early stopping begins after this many.
        patience: epochs without a lower validation loss after which training stops.
        lr_step: epochs after which the learning rate is multiplied by ``lr_decay``.
        lr_decay: see ``lr_step``.
        half: on a GPU, keep what is computed for each user in half the bytes: faster where many are trained as one.

    Attributes:
        classes_: the labels, sorted.
        history_: one :class:`~graphldp.learn.engine.one_training.EpochRecord` per epoch.
        n_epochs_: how many epochs were run.
        best_epoch_: the one with the lowest validation loss, whose weights are kept.
        provenance_: mechanism, ε, dataset, seed and version, as kept in a saved file.
        calibration_: how its probabilities are read, by the validation graphs.
    """

    convolution: ClassVar[Literal["gin", "gcn", "sage"]]

    layers: int = 5
    hidden: int = 64
    dropout: float = 0.5
    lr: float = 0.01
    _: KW_ONLY
    seed: int = 0
    device: str = "auto"
    readout: Literal["mean", "sum"] = "mean"
    features: Literal["constant", "degree", "noisy-degree", "size", "profile", "columns"] = "constant"
    graph_features: Literal["none", "size", "degrees"] = "none"
    directions: Literal["own", "both"] = "own"
    weights: Literal["none", "posterior"] = "none"
    batch_size: int = 64
    max_epochs: int = 500
    min_epochs: int = 100
    patience: int = 30
    lr_step: int = 50
    lr_decay: float = 0.5
    half: bool = False

    def fit(
        self,
        X: NeighbourLists,
        y: ArrayLike | None = None,
        *,
        validation: Validation | None = None,
        trusted: ArrayLike | None = None,
        on_epoch: Callable[[EpochRecord], None] | None = None,
        verbose: bool = False,
    ) -> Self:
        """Learn from graphs.

        Args:
            X: ``Reports`` or a ``GraphSet``; users who have not reported leave their graph.
            y: one label per graph, of any type that sorts; from X by default.
            validation: graphs for early stopping and for calibration, with labels of their own or as a pair (X, y); by
                default a stratified tenth of X is held out. They are believed.
            trusted: positions of the graphs to learn from alone, where others may lie; all by default.
            on_epoch: called with each epoch's record.
            verbose: show a bar of epochs and losses; where nobody watches, a line every few seconds.
        """
        X, y = among_trusted(X, y, trusted, type(self).__name__)
        with shown_epochs(verbose, self.max_epochs, self.seed, on_epoch) as each:
            report = None if each is None else lambda _, record: each(record)
            ((_, fitted),) = fit_each([self._training(X, y, validation)], on_epoch=report)
        if isinstance(fitted, Exception):
            raise fitted
        return self.adopt(fitted)

    def _training(self, X: NeighbourLists, y: ArrayLike | None, validation: Validation | None) -> Training:
        """The training, from checked and packed graphs; without validation graphs a tenth is held out."""
        owner = type(self).__name__
        graphs = graphs_of(X, owner)
        classes, codes = labels_of(graphs, y, owner)
        check_lists(graphs, self.features)
        spec = ModelSpec(len(classes), num_features=num_features(graphs, self.features), **self._settings(ModelSpec))
        device, provenance = resolve_device(self.device), provenance_of(X, self.seed)
        if validation is None:
            packed = PackedGraphs.pack(graphs, spec, device, codes)
            learn, stop = (packed.subset(part) for part in split(codes, _LEARN_AND_STOP, self.seed))
        else:
            given, labels = validation if isinstance(validation, tuple) else (validation, None)
            held_out = graphs_of(given, owner)
            known = codes_of(classes, given_labels(held_out, labels))
            learn = PackedGraphs.pack(graphs, spec, device, codes)
            stop = PackedGraphs.pack(held_out, spec, device, known)
        return Training(spec, self._options, learn, stop, classes, provenance)

    @property
    def _options(self) -> TrainingOptions:
        return TrainingOptions(**self._settings(TrainingOptions))

    def _settings(self, kind: type[ModelSpec | TrainingOptions]) -> dict[str, Any]:
        """The fields of a kind of settings that a classifier has."""
        return {each.name: getattr(self, each.name) for each in fields(kind) if hasattr(self, each.name)}

    def adopt(self, fitted: Fitted) -> Self:
        """Become the result of a training that ran elsewhere, among others or in another process."""
        self.classes_ = fitted.classes
        self.spec_ = fitted.spec
        self.weights_ = fitted.weights
        self.history_ = fitted.history
        self.n_epochs_ = len(self.history_)
        self.best_epoch_ = self.history_[-1].best_epoch
        self.provenance_ = fitted.provenance
        self.calibration_ = fitted.calibration
        return self

    def predict_proba(self, X: NeighbourLists) -> NDArray[np.float64]:
        """The probability of each class, [graphs, classes], in the order of ``classes_``.

        It is calibrated (:mod:`graphldp.learn.calibration`), and never above what the validation graphs support.
        """
        check_is_fitted(self)
        return self.calibration_.apply(self.uncalibrated(X))

    def uncalibrated(self, X: NeighbourLists) -> NDArray[np.float64]:
        """The softmax of the network's scores, [graphs, classes]."""
        check_is_fitted(self)
        graphs = graphs_of(X, type(self).__name__)
        if not len(graphs):
            return np.zeros((0, len(self.classes_)))
        packed = PackedGraphs.pack(graphs, self.spec_, resolve_device(self.device))
        return predict_proba(self.spec_, self.weights_, packed)

    def score(self, X: NeighbourLists, y: ArrayLike | None = None) -> float:
        """Accuracy; the true labels come from y, else from X. Labels that were not learned are an error."""
        check_is_fitted(self)
        truth = given_labels(graphs_of(X, type(self).__name__), y)
        return evaluate(self.classes_, self.predict_proba(X), truth).accuracy

    def _learned(self) -> dict[str, Any]:
        return {
            "spec": asdict(self.spec_),
            "weights": {name: tensor.numpy() for name, tensor in self.weights_.items()},
            "history": [asdict(record) for record in self.history_],
            "calibration": asdict(self.calibration_),
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a classifier that :meth:`save` wrote. Runs no code from the file.

        Raises:
            FormatError: for a file that is not such a classifier, is damaged, or was written by a newer version.
        """
        saved = read(path, cls.__name__)
        try:
            spec = ModelSpec(**saved.spec)
            history = [EpochRecord(**record) for record in saved.history]
            calibration = Calibration(**saved.calibration)
            made = cls(**saved.params)
        except (TypeError, ValueError) as error:
            raise FormatError(f"{path}: damaged ({error})") from None
        # every layer has weights: a header that claims more layers than there are arrays is not even looked through
        slots = parameters(spec) | statistics(spec) if spec.layers <= len(saved.weights) else {}
        shapes = {name: array.shape for name, array in saved.weights.items() if array.dtype == np.float32}
        if len(shapes) < len(saved.weights) or shapes != {name: slot.shape for name, slot in slots.items()}:
            raise FormatError(f"{path}: damaged (the weights do not fit the model that the header describes).")
        if saved.classes.shape != (spec.num_classes,) or not history:
            raise FormatError(f"{path}: damaged (it names {saved.classes.size} of {spec.num_classes} classes).")
        weights = {name: torch.from_numpy(array) for name, array in saved.weights.items()}
        return made.adopt(
            Fitted(saved.classes, spec, made._options, weights, history, dict(saved.provenance), calibration)
        )


class GINClassifier(GraphClassifier):
    """A graph isomorphism network (Xu et al. 2019), the paper's classifier; see :class:`GraphClassifier`."""

    convolution = "gin"


class GCNClassifier(GraphClassifier):
    """A graph convolutional network (Kipf & Welling 2017); see :class:`GraphClassifier`."""

    convolution = "gcn"


class SAGEClassifier(GraphClassifier):
    """GraphSAGE with means (Hamilton et al. 2017); see :class:`GraphClassifier`."""

    convolution = "sage"


NETWORKS: dict[str, type[GraphClassifier]] = {
    each.convolution: each for each in (GINClassifier, GCNClassifier, SAGEClassifier)
}
"""The graph neural networks by their convolution."""


def network_classifier(fitted: Fitted) -> GraphClassifier:
    """The classifier of a network that was fitted elsewhere."""
    kind = NETWORKS[fitted.spec.convolution]
    known = kind().get_params()
    settings = asdict(fitted.spec) | asdict(fitted.options)
    return kind(**{name: value for name, value in settings.items() if name in known}).adopt(fitted)
