"""From a list of friends to the report that is kept: steps 1 to 3 of ``protocol``.

Nothing here can reach the network: what is drawn from is what was pinned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from graphldp.client import friends
from graphldp.client.keeping.ledger import Ledger, shown
from graphldp.client.keeping.membership import Drawn, Membership
from graphldp.client.questions import DECLINED, Approve, Plan
from graphldp.client.sampling import counting, hubs, sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.errors import ClientError
from graphldp.wire import Choice, Published, Report, encode


def draw(
    member: Membership,
    ledger: Ledger,
    names: list[str],
    choice: str | None,
    approve: Approve,
    entropy: Entropy | None,
) -> Drawn:
    """Ask the user, charge the ledger, draw, and keep what was drawn."""
    published, chosen = member.published, member.published.choice(choice)
    _check_accepted(chosen, member.accepted)
    ledger.check(*member.where, published.epoch, chosen)
    roster, groups = member.people()
    matched = friends.match(names, roster, published.user)
    found = tuple(roster[number] for number in matched.neighbours)
    total = len(found) + matched.unmatched
    plan = Plan(published, chosen, ledger.spent, ledger.cap, total, found, matched.cause)
    if groups is not None:
        counts = counting.true_counts(matched.neighbours.tolist(), groups, len(published.group_names))
        plan = replace(plan, counts=tuple(counts))
    if not approve(plan):
        raise ClientError(DECLINED)
    ledger.charge(*member.where, published.epoch, chosen)
    report, noise = _sampled(published, chosen, matched.neighbours, groups, entropy)
    numbers = tuple(matched.neighbours.tolist())
    drawn = Drawn(report, encode(report), chosen.name, numbers, noise=noise, group_names=published.group_names)
    member.keep(drawn)
    return drawn


def _sampled(
    published: Published,
    chosen: Choice,
    numbers: NDArray[np.int32],
    groups: list[int] | None,
    entropy: Entropy | None,
) -> tuple[Report, int | None]:
    """The report, and the noise that a hub's answer will need."""
    mechanism = published.drawn_by(chosen)
    if mechanism == "hub-counts":
        return hubs.draw(
            numbers,
            n=published.n,
            user=published.user,
            epsilon1=chosen.epsilon1,
            hub_from=published.hub_from,
            _entropy=entropy,
        )
    report = sampler.draw(
        numbers,
        mechanism=mechanism,
        n=published.n,
        user=published.user,
        epsilon1=chosen.epsilon1,
        epsilon2=chosen.epsilon2,
        hub_from=published.hub_from,
        groups=groups,
        _entropy=entropy,
    )
    return report, None


def _check_accepted(choice: Choice, accepted: int | None) -> None:
    if accepted is None:
        return
    if choice.cost is None:
        raise ClientError(
            f"The choice '{choice.name}' publishes your list; you accepted ε = {shown(accepted)} at most."
        )
    if choice.cost > accepted:
        raise ClientError(
            f"The choice '{choice.name}' costs ε = {shown(choice.cost)}; you accepted {shown(accepted)} at most."
        )
