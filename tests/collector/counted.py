"""A community whose friends are counted by group, as devices would have reported to it."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from graphldp import wire
from graphldp.client.sampling import sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.collector import tokens
from graphldp.collector.offers import Split, offers
from graphldp.collector.storage.collecting.accepting import Submission
from graphldp.collector.storage.store import Store

N, EPSILON = 240, 2.0
CLASSES = np.arange(N) % 2
NAMES = ("cats", "dogs")
RNG = np.random.default_rng(3)
GROUPS = np.where(RNG.random(N) < 0.75, CLASSES, 1 - CLASSES)  # a public guess, right three times in four
SAME = CLASSES[:, None] == CLASSES[None]
# ten friends of one's own kind, and half a friend of the other
EDGES = np.triu(RNG.random((N, N)) < np.where(SAME, 0.09, 0.005), 1)
KNOWN = {int(user): NAMES[CLASSES[user]] for user in RNG.permutation(N)[:120]}
SILENT = (5, 77)


UNKNOWN = [user for user in range(N) if user not in KNOWN and user not in SILENT]


def fill(url: str) -> None:
    """Open the community; all but two report, and each device's noise comes from a seeded source."""
    store, source = Store.open(url), Random(7)
    mechanism, choices = offers([EPSILON], None, N, Split(), groups=True)
    groups = [("east", "west")[group] for group in GROUPS]
    roster = [f"user {number}" for number in range(N)]
    made = store.open_community("pages", roster, mechanism=mechanism, choices=choices, groups=groups)
    friends, secrets = EDGES | EDGES.T, store.invite("pages")
    given: dict[str, Any] = {
        "mechanism": mechanism,
        "n": N,
        "epsilon1": EPSILON,
        "epsilon2": 0.0,
        "groups": store.groups(made),
    }
    sent = []
    for user in sorted(set(range(N)) - {*SILENT}):
        entropy = Entropy(_source=source.randbytes)
        report = sampler.draw(np.flatnonzero(friends[user]).astype(np.int32), user=user, **given, _entropy=entropy)
        sent.append(Submission(made.key, user, tokens.hashed(secrets[user]), wire.encode(report)))
    assert {ruling.value for ruling in store.accept(sent)} == {"stored"}
    store.close()
