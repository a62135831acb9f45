"""A community as ``create`` and ``show`` print it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphldp.collector.communities.community import Community
    from graphldp.wire import Choice


def row(community: Community, classes: Mapping[int, str], *, as_json: bool) -> dict[str, Any]:
    """What never changes about a community, and its label."""
    from graphldp.wire import spoken

    choices, digest = [choice.to_json() for choice in community.choices], community.roster_digest
    base: dict[str, Any] = {
        "community": community.id,
        "name": community.called,
        "users": community.n,
        "mechanism": community.mechanism,
        "label": community.label,
        "class": None if community.label is None else classes.get(community.label),
    }
    if community.retention_days is not None:
        kept = {"retention_days": community.retention_days, "keeps_models": community.keeps_models}
        base |= kept if as_json else {"reports are kept": community.kept}
    if community.group_names:
        base["groups"] = list(community.group_names) if as_json else ", ".join(community.group_names)
    if as_json:
        return base | {"choices": choices, "roster_digest": digest}
    offers = "; ".join(_in_words(choice) for choice in community.choices)
    words = "; ".join(_promise(choice) for choice in community.choices)
    return base | {
        "choices": offers,
        "what they promise": words,
        "roster digest": digest,
        "as clients show it": spoken(digest),
    }


def _in_words(choice: Choice) -> str:
    return choice.name if choice.public else f"{choice.name} (ε₁ {choice.epsilon1:g}, ε₂ {choice.epsilon2:g})"


def _promise(choice: Choice) -> str:
    """What ε means for one friendship: what somebody who sees the report may come to believe."""
    from graphldp.collector.communities.overview import at_most

    if choice.public:
        return f"{choice.name}: nothing is hidden"
    now = at_most(0.1, choice.epsilon1 + choice.epsilon2)
    return f"{choice.name}: a guess of 10 % that two are friends becomes at most {100 * now:.1f} %"
