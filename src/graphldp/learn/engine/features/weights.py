"""How much each reported entry counts: the probability that it is an edge, as a power of two.

Most names on a noisy list are strangers, and the server can tell many of them: a name on the short list of a user whom
few list is hardly ever an edge, a name on a hub's list mostly is (:mod:`graphldp.learn.inference.posterior`). An entry
of probability P counts 2^(-k) with k = -log₂ P, rounded, and not at all from k = :data:`LEVELS` on. So few weights keep
users with the same weighted lists one colour (:mod:`graphldp.learn.engine.packed.colours`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports

LEVELS = 4


def posterior_levels(lists: NeighbourLists) -> NDArray[np.int64]:
    """k of each reported entry, :data:`LEVELS` where it does not count.

    Raw graphs and public lists are certain: 0. Reports must be of a mechanism that
    :class:`~graphldp.learn.inference.posterior.LinkPosterior` knows.
    """
    if not isinstance(lists, Reports) or lists.public.all():
        return np.zeros(lists.num_entries, dtype=np.int64)
    from graphldp.learn.inference.posterior import (
        LinkPosterior,  # needs scipy, which models without these weights do not
    )

    unlikely = np.logaddexp(0.0, -LinkPosterior.of(lists).log_odds) / np.log(2.0)  # -log₂ P
    return np.asarray(np.minimum(np.rint(unlikely), LEVELS), dtype=np.int64)
