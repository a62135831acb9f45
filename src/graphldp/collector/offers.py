"""The choices of ε that a community offers, from what its operator asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from graphldp.collector.community import Community, check_witnesses
from graphldp.errors import BudgetError, ParameterError, bad_parameter
from graphldp.privacy import allocate
from graphldp.privacy.budget import ALLOCATIONS, degree_floor
from graphldp.privacy.hubs import LINKS_FROM, LIST_SHARE, LISTS_ABOVE, advised, advised_for_nodes
from graphldp.privacy.pairs import LIST_PART, PAIR_SHARES
from graphldp.wire import MAX_EPSILON, WITH_COUNTS, Choice

if TYPE_CHECKING:
    from graphldp.privacy import Allocation

PUBLIC = Choice("public", math.inf, math.inf)
"""The user's list as it is."""


@dataclass(frozen=True)
class Split:
    """The split of ε by dprr; no other mechanism leaves it open.

    Args:
        allocation: ``"paper"`` (the default), ``"fixed"`` or ``"utility"``.
        alpha: the share of ε that is spent on edges; 0.9 by default.
        n_max: users in the operator's largest community, for the paper's split; this one's by default.
    """

    allocation: str | None = None
    alpha: float | None = None
    n_max: int | None = None

    def __post_init__(self) -> None:
        if self.allocation not in (None, *ALLOCATIONS):
            raise bad_parameter("allocation", "a community", f"one of {', '.join(ALLOCATIONS)}", self.allocation)
        if self.alpha is not None and not 0 < self.alpha < 1:
            raise bad_parameter("alpha", "a community", "a number between 0 and 1, both excluded", self.alpha)
        if self.n_max is not None and self.n_max < 2:
            raise bad_parameter("n_max", "a community", "2 users or more", self.n_max)


def offers(
    epsilons: Sequence[float],
    mechanism: str | None,
    n: int,
    split: Split,
    *,
    groups: bool = False,
    witnesses: bool = False,
) -> tuple[str, list[Choice]]:
    """The mechanism of a community, and what it offers.

    Args:
        epsilons: what users can spend in all, one choice each.
        mechanism: by name; the one that is recommended at these ε by default.
        n: users in the community.
        split: how dprr splits ε.
        groups: whether there are public groups to count friends by, for classes of single users.
        witnesses: whether users are dealt into groups to count friends by, so that liars change few labels.
    """
    for epsilon in epsilons:
        if not 0 < epsilon <= MAX_EPSILON:
            raise bad_parameter("epsilon", "a community", f"above 0 and at most {MAX_EPSILON}", epsilon)
    if witnesses:
        mechanism = mechanism or "friend-counts"
        check_witnesses(mechanism, n, groups=groups)
        groups = True
    name = mechanism or (advised_for_nodes(epsilons) if groups else advised(epsilons))
    if groups and name not in WITH_COUNTS:
        raise ParameterError(
            f"A community by {name} has no groups. From ε = {LINKS_FROM:g} on lists tell more of single users than "
            "counts: leave out the groups and choose the mechanism rr. Otherwise choose friend-counts."
        )
    if name in WITH_COUNTS and not groups:
        raise ParameterError("A community by friend-counts counts friends by public group: say who is in which.")
    if name != "dprr" and split != Split():
        raise ParameterError(
            f"How ε is split can be chosen for dprr alone, and this community collects by {name}. Choose "
            "dprr, or leave out allocation, alpha and n-max."
        )
    return name, [_offer(epsilon, name, n, split) for epsilon in epsilons]


def _offer(epsilon: float, mechanism: str, n: int, split: Split) -> Choice:
    """One ε to offer, split as the mechanism spends it."""
    degree, edges = _down(epsilon), 0.0
    if mechanism == "rr":
        degree, edges = 0.0, degree
    elif mechanism == "hub-lists" and epsilon > LISTS_ABOVE:  # below, a list is not worth its ε: none is sent
        degree = _down(LIST_SHARE * epsilon)
        edges = _down(epsilon - degree)
    elif mechanism == "closed-pairs":
        degree = _down(PAIR_SHARES[0] * epsilon)
        edges = _down(epsilon - degree)
    elif mechanism == "dprr":
        degree = _down(_on_degree(epsilon, n if split.n_max is None else split.n_max, split))
        edges = _down(epsilon - degree)
    return Choice(f"epsilon-{epsilon:g}", degree, edges)


def _on_degree(epsilon: float, n_max: int, split: Split) -> float:
    """ε₁ of dprr."""
    allocation, alpha = split.allocation or "paper", 0.9 if split.alpha is None else split.alpha
    try:
        found = allocate(epsilon, cast("Allocation", allocation), alpha=alpha, n_max=n_max, owner="a community")
    except BudgetError:
        if allocation != "paper" or degree_floor(n_max) < epsilon:
            raise
        raise BudgetError(
            f"The paper's split for dprr spends at least √(8/(n − 1)) on the degree. With {n_max} users that is "
            f"{degree_floor(n_max):.4g}, which leaves nothing of ε = {epsilon:g} for the list. Offer a larger ε, take "
            "another split (the allocation fixed or utility), or choose no mechanism: what is recommended needs no "
            "such share, however small the community is."
        ) from None
    return float(found.degree)


def _down(epsilon: float) -> float:
    """ε in whole millionths, never more than asked for."""
    return math.floor(epsilon * 10**6 + 1e-6) / 10**6


def spent_on(community: Community, choice: Choice) -> str:
    """What a member's ε is spent on, in words."""
    if choice.public:
        return "nothing: her list as it is, without noise"
    lists, degree = choice.epsilon2, f"{choice.epsilon1:g}"
    if lists and community.mechanism == "dprr":
        return f"{degree} on her number of friends, {lists:g} on her list"
    if lists and community.mechanism == "hub-lists" and community.hub_from is not None:
        return (
            f"her number of friends; for hubs, with a noisy number of {community.hub_from} or more, {degree} of it on "
            f"that and {lists:g} on a list"
        )
    match community.mechanism:
        case "rr":
            return "her list"
        case "friend-counts":
            return "her numbers of friends by group, all together"
        case "hub-counts":
            return "her number of friends, and for hubs the second answer with it"
        case "closed-pairs":
            on_list = lists * float(LIST_PART)
            return f"{degree} on her number of friends, {on_list:g} on her list, {lists - on_list:g} on the answer"
    return "her number of friends"
