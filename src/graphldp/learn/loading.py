"""Open a saved classifier of any kind."""

from __future__ import annotations

import os

from graphldp.learn.classifier import NETWORKS, GraphClassifier
from graphldp.learn.nodes.classifier import NodeClassifier
from graphldp.learn.saving import read
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.robust_classifier import RobustProfileClassifier
from graphldp.learn.tables.witness_classifier import WitnessClassifier

_TABLES = (ProfileClassifier, RobustProfileClassifier, WitnessClassifier)
_ALL: tuple[type[GraphClassifier | ProfileClassifier | WitnessClassifier], ...] = (*NETWORKS.values(), *_TABLES)
KINDS = {each.__name__: each for each in _ALL}
"""The classifiers of graphs that can be saved, by what their files call them."""


def load_classifier(
    path: str | os.PathLike[str], device: str = "auto"
) -> GraphClassifier | ProfileClassifier | WitnessClassifier:
    """Read what ``save`` of a network, of :class:`ProfileClassifier`, its robust kind or witnesses wrote.

    Args:
        path: the file.
        device: where a network is to run; trees run on the CPU.

    Raises:
        FormatError: for a file that is no classifier, is damaged, or was written by a newer version.
    """
    made = KINDS[read(path, *KINDS).kind].load(path)
    return made.set_params(device=device) if isinstance(made, GraphClassifier) else made


def load_model(
    path: str | os.PathLike[str], device: str = "auto"
) -> GraphClassifier | ProfileClassifier | WitnessClassifier | NodeClassifier:
    """Read what ``save`` of any classifier wrote, of graphs or of single users."""
    if read(path, *KINDS, NodeClassifier.__name__).kind == NodeClassifier.__name__:
        return NodeClassifier.load(path)
    return load_classifier(path, device)
