"""Where a trained model comes from: kept with it, and in the file it is saved to."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphldp import __version__
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports


def provenance_of(X: NeighbourLists, seed: int) -> dict[str, Any]:
    """Where a model comes from, in words and numbers that JSON can hold."""
    found: dict[str, Any] = {
        "dataset": X.name,
        "graphs": X.num_graphs,
        "mechanism": "none: raw graphs",
        "epsilon": None,
        "public_users": X.num_users,
        "guarantee": "None: trained on raw graphs.",
        "seed": int(seed),
        "graphldp": __version__,
    }
    if isinstance(X, Reports):
        private = X.guarantee.epsilon[np.isfinite(X.guarantee.epsilon)]
        found["mechanism"] = str(X.origin)
        # ε₁ + ε₂ is rounded down on purpose; 12 digits show the ε that was asked for
        found["epsilon"] = round(float(private.max()), 12) if len(private) else None
        found["public_users"] = X.guarantee.public_users
        found["guarantee"] = str(X.guarantee)
    return found
