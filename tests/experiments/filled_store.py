"""A collector's store with many small communities, some of which have a label."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import graphldp as gl
from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.storage.collecting.accepting import Submission
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice


def fill_store(store: Store, communities: int = 40, labelled: int = 30) -> None:
    """Open threads as communities by noisy-degrees, in which everybody but user 0 has reported."""
    graphs = gl.synthetic.threads(num_graphs=3 * communities, seed=0)
    small = np.sort(graphs.sizes.argsort(kind="stable")[:communities])
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(graphs.subset(small), rng=0)
    assert reports.noisy_degree is not None
    assert reports.labels is not None
    for graph in range(communities):
        n, start = int(reports.sizes[graph]), int(reports.graph_ptr[graph])
        label = int(reports.labels[graph]) if graph < labelled else None
        id, roster = f"thread-{graph}", [f"user {user}" for user in range(n)]
        choices = [Choice("all", 1.0, 0.0)]
        made = store.open_community(id, roster, mechanism="noisy-degrees", choices=choices, label=label)
        given, nobody = store.invite(id), np.zeros(0, np.int32)
        sent = []
        for user in range(1, n):
            degree = int(reports.noisy_degree[start + user])
            body = wire.encode(wire.Report("noisy-degrees", n, user, 1.0, 0.0, degree, nobody))
            sent.append(Submission(made.key, user, tokens.hashed(given[user]), body, degree))
        store.accept(sent)


@contextmanager
def no_room_beyond(size: int) -> Iterator[None]:
    """Let no file grow beyond this many bytes: writing fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    theirs = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, theirs)
