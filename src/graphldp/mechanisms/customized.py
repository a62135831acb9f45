"""The customized setting: some users publish their lists (Section 4.1 of the paper).

λ is the share of public users. :func:`customized` draws them; :func:`match_public_fraction` lowers λ of one set to
that of another by giving some public users noise, as Section 5.2 suggests for training and testing graphs that
differ.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import ParameterError, bad_parameter
from graphldp.graphs import GraphSet
from graphldp.mechanisms.base import RowMechanism
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Rng, Stream, key_from
from graphldp.neighbour_lists import NeighbourLists
from graphldp.privacy import check_epsilon
from graphldp.reports import Reports


def customized(
    graphs: NeighbourLists, *, epsilon: float, public_fraction: float, rng: Rng = None
) -> NDArray[np.float64]:
    """One ε per user: ``inf`` for ⌊λn⌋ users of each graph, drawn uniformly, and ``epsilon`` for the others.

    Args:
        graphs: the graphs; only their sizes are read.
        epsilon: ε of private users.
        public_fraction: λ, between 0 and 1.
        rng: an int, a ``Generator`` or a ``SeedSequence``.

    Example::

        epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.2, rng=7)
        reports = gl.DPRR(epsilon=epsilon).randomize(graphs, rng=7)
    """
    private = check_epsilon(epsilon, "customized")
    if not isinstance(private, float) or math.isinf(private):
        raise bad_parameter("epsilon", "customized", "one finite positive number", epsilon)
    everyone = np.ones(graphs.num_users, np.bool_)
    chosen = _choose(graphs, everyone, _quota(graphs, public_fraction, "customized"), rng, "customized")
    return np.where(chosen, np.inf, private)


def match_public_fraction(
    reports: Reports, mechanism: RowMechanism, *, public_fraction: float, rng: Rng = None
) -> Reports:
    """Noise some public users' rows, so that ⌊λn⌋ users of each graph stay public.

    Nothing raw is needed: a public user's row in the reports is exact. The users are drawn uniformly among the public
    ones; everybody else's report stays as it is.

    Args:
        reports: what was collected.
        mechanism: how to noise, the one the private users used, with one ε.
        public_fraction: the λ to come down to.
        rng: an int, a ``Generator`` or a ``SeedSequence``.

    Raises:
        ParameterError: where a graph has fewer public users than λ asks for: noise can be added, never taken away.
    """
    owner = "match_public_fraction"
    if not isinstance(mechanism, RowMechanism) or np.ndim(mechanism.epsilon) or np.isinf(mechanism.epsilon):
        raise bad_parameter("mechanism", owner, "a mechanism of single rows with one finite epsilon", mechanism)
    if mechanism.degree_noise != reports.noise:
        raise bad_parameter("mechanism", owner, "the one that the private users' reports come from", mechanism)
    quota = _quota(reports, public_fraction, owner)
    public = np.bincount(reports.graph_of_user[reports.public], minlength=reports.num_graphs)
    if (public < quota).any():
        raise ParameterError(
            f"The 'public_fraction' parameter of {owner} must be at most that of every graph; "
            f"{int((public < quota).sum())} graphs have fewer public users than {public_fraction:g} of theirs."
        )
    chosen = _choose(reports, reports.public, public - quota, rng, owner)
    rows = GraphSet(
        reports.indptr,
        reports.indices,
        reports.graph_ptr,
        directed=True,
        graph_ids=reports.graph_ids,
        trusted=True,
    )
    epsilon = np.where(chosen, mechanism.epsilon, np.inf)
    noised = replace(mechanism, epsilon=epsilon).randomize(rows, rng=rng)
    degree, fresh = reports.noisy_degree, noised.noisy_degree
    return replace(
        reports,
        indptr=noised.indptr,
        indices=noised.indices,
        noisy_degree=None if degree is None or fresh is None else np.where(chosen, fresh, degree),
        budget=replace(
            reports.budget,
            degree=np.where(chosen, noised.epsilon1, reports.epsilon1),
            edges=np.where(chosen, noised.epsilon2, reports.epsilon2),
        ),
        trusted=True,
    )


def _quota(graphs: NeighbourLists, fraction: float, owner: str) -> NDArray[np.int64]:
    if not 0.0 <= fraction <= 1.0:
        raise bad_parameter("public_fraction", owner, "a number from 0 to 1", fraction)
    share = fraction * graphs.sizes * (1 + 2.0**-51)  # 0.29 · 100 is 28.999… in floating point
    return np.asarray(np.floor(share), np.int64)


def _choose(
    graphs: NeighbourLists, among: NDArray[np.bool_], quota: NDArray[np.int64], rng: Rng, owner: str
) -> NDArray[np.bool_]:
    """The ``quota`` users of each graph with the smallest random words, of those in ``among``."""
    words = backend.first_words(UserRows.of(graphs), Stream.PUBLIC, key_from(rng, owner))[:, 0]
    order = np.lexsort((words, ~among, graphs.graph_of_user))
    chosen = np.zeros(graphs.num_users, np.bool_)
    chosen[order] = graphs.local_users < np.repeat(quota, graphs.sizes)
    return chosen
