"""The two rounds of hub-counts, drawn exactly: a report from everybody, and one answer from those who look like hubs.

The law is that of ``HubCounts``. With N₁ and N₂ two discrete Laplace noises of ε₁, drawn together:

    round 1   r = d + N₁ + N₂;   r below ``hub_from``: d* = d + N₁;   from there on: d* = r, and N₂ is kept
    round 2   u₂ = friends who are said to be busy + N₂;   u₁ = d* − u₂ follows and is not sent

``hub_from`` is a whole number that the community published before the draw, so no rounding decides who is asked. Each
user spends ε₁ once, also where the collector lies about who is busy, as long as she answers one question and no other:
``docs/mechanisms/hub-counts.md`` has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sampling.laplace import discrete_laplace
from graphldp.client.sampling.sampler import clipped, exact
from graphldp.wire import Answer, Question, Report
from graphldp.wire.numbers import numbers


def draw(
    friends: Iterable[int],
    *,
    n: int,
    user: int,
    epsilon1: float,
    hub_from: int | None,
    _entropy: Entropy | None = None,
) -> tuple[Report, int | None]:
    """Draw one user's report, and N₂ where she is to be asked again: it is kept for the one answer, and not sent.

    Args:
        friends: the numbers of the user's friends in the roster.
        n: users in the community.
        user: the user's own number.
        epsilon1: ε₁ in whole millionths.
        hub_from: the noisy degree from which on a user is asked again; None where nobody is.
    """
    degree = len(Report("public", n, user, math.inf, math.inf, None, numbers(friends)).neighbours)  # checks the list
    epsilon, entropy = exact(epsilon1), Entropy() if _entropy is None else _entropy
    first, second = (discrete_laplace(epsilon, entropy) for _ in range(2))
    rough = degree + first + second
    asked = hub_from is not None and rough >= hub_from
    told = clipped(rough if asked else degree + first)
    return Report("hub-counts", n, user, epsilon1, 0.0, told, numbers(()), asked), second if asked else None


def answer(question: Question, friends: Sequence[int], user: int, noise: int) -> Answer:
    """Count a hub's busy friends, with the noise that was drawn with her report. Answered twice, it tells all.

    Args:
        question: who is said to be busy.
        friends: the list that her report was drawn from.
        user: her own number.
        noise: N₂.
    """
    busy = sum(question.busy[friend] for friend in friends)
    return Answer(question.n, user, question.digest, clipped(busy + noise))
