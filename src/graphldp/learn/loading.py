"""Open a saved classifier of either kind."""

from __future__ import annotations

import os

from graphldp.learn import persistence
from graphldp.learn.classifier import GINClassifier
from graphldp.learn.tables.profile_classifier import ProfileClassifier


def load_classifier(path: str | os.PathLike[str], device: str = "auto") -> GINClassifier | ProfileClassifier:
    """Read what :meth:`GINClassifier.save` or :meth:`ProfileClassifier.save` wrote.

    Args:
        path: the file.
        device: where a GIN is to run; trees run on the CPU.

    Raises:
        FormatError: for a file that is no classifier, is damaged, or was written by a newer version.
    """
    kinds = {each.__name__: each for each in (GINClassifier, ProfileClassifier)}
    if kinds[persistence.read(path, *kinds).kind] is ProfileClassifier:
        return ProfileClassifier.load(path)
    return GINClassifier.load(path).set_params(device=device)
