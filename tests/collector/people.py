"""A community to test with, and reports of its users."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.community import Community
from graphldp.collector.intake import Submission
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice

N = 50
CHOICES = (Choice("standard", 0.1, 0.9), Choice("public", math.inf, math.inf))


def open_cats(store: Store, id: str = "cats", n: int = N, label: int | None = None) -> tuple[Community, dict[int, str]]:
    """A community of n users who all have tokens."""
    made = store.open_community(id, [f"cat {u}" for u in range(n)], mechanism="dprr", choices=CHOICES, label=label)
    return made, store.invite(id)


def report(user: int, degree: int = 3, neighbours: Sequence[int] = (7, 9, 30), n: int = N) -> bytes:
    listed = np.array([other for other in neighbours if other != user])
    return wire.encode(wire.Report("dprr", n, user, 0.1, 0.9, degree, listed))


def public_report(user: int, neighbours: Sequence[int] = (1, 2), n: int = N) -> bytes:
    listed = np.array([other for other in neighbours if other != user])
    return wire.encode(wire.Report("public", n, user, math.inf, math.inf, None, listed))


def submission(community: Community, user: int, token: str, body: bytes | None, degree: int | None = 3) -> Submission:
    return Submission(community.key, user, tokens.hashed(token), body, degree)
