"""The draw of a report from a list of friends, and what is kept of it: steps 1 to 3 of ``protocol``.

Nothing here can reach the network: what is drawn from is what was pinned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from graphldp.client import friends
from graphldp.client.keeping.ledger import Ledger, shown
from graphldp.client.keeping.membership import Drawn, Membership
from graphldp.client.questions import DECLINED, Approve, Plan
from graphldp.client.sampling import counting, hubs, pairs, sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.errors import ClientError
from graphldp.wire import Choice, Published, Report, encode


class People(NamedTuple):
    """The users that a list is matched with. Reading them takes as long whatever the list is.

    Args:
        roster: the names that are pinned.
        groups: the number of each one's group, if there are groups.
        numbers: the numbers of the names, as names are compared.
    """

    roster: list[str]
    groups: list[int] | None
    numbers: dict[str, int]

    def others(self, user: int) -> list[str]:
        """All names but the user's own."""
        return self.roster[:user] + self.roster[user + 1 :]


def people(member: Membership) -> People:
    """Read the people that are pinned."""
    roster, groups = member.people()
    return People(roster, groups, friends.numbered(roster))


def draw(
    member: Membership,
    known: People,
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
    matched = friends.match(names, known.numbers, published.user)
    found = tuple(known.roster[number] for number in matched.neighbours)
    total = len(found) + matched.unmatched
    plan = Plan(published, chosen, ledger.spent, ledger.cap, total, found, matched.cause)
    if known.groups is not None:
        counts = counting.true_counts(matched.neighbours, known.groups, len(published.group_names))
        plan = replace(plan, counts=tuple(counts), lone=_lone(published, known.groups))
    if not approve(plan):
        raise ClientError(DECLINED)
    ledger.charge(*member.where, published.epoch, chosen)
    report, noise = _sampled(published, chosen, matched.neighbours, known.groups, entropy)
    numbers = None if noise is None else matched.neighbours
    drawn = Drawn(report, encode(report), chosen.name, numbers, noise=noise, group_names=published.group_names)
    member.keep(drawn)
    return drawn


def _sampled(
    published: Published,
    chosen: Choice,
    numbers: Sequence[int],
    groups: list[int] | None,
    entropy: Entropy | None,
) -> tuple[Report, int | None]:
    """The report, and the noise that an answer to the second question will need."""
    mechanism = published.drawn_by(chosen)
    if mechanism == "closed-pairs":
        return pairs.draw(
            numbers,
            n=published.n,
            user=published.user,
            epsilon1=chosen.epsilon1,
            epsilon2=chosen.epsilon2,
            _entropy=entropy,
        )
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


def _lone(published: Published, groups: list[int]) -> tuple[str, ...]:
    """The groups that hold one person beside the user."""
    others = Counter(group for number, group in enumerate(groups) if number != published.user)
    return tuple(name for group, name in enumerate(published.group_names) if others[group] == 1)


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
