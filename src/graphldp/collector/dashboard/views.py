"""What each page shows, as values for its template."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

from graphldp.collector.community import Community
from graphldp.collector.dashboard.charts import HEIGHT, WIDTH, histogram
from graphldp.collector.disclosure import enough
from graphldp.collector.overview import at_most
from graphldp.collector.storage.results import Prediction
from graphldp.collector.storage.second_round import shown_progress
from graphldp.collector.storage.store import Store
from graphldp.privacy.hubs import BUSY_FROM, LIST_SHARE, LIST_TIMES, LISTS_ABOVE, hub_from

_FLAGGED_SHOWN = 200

_EPSILONS = (0.1, 0.5, 1, 2, 4)
_PLAYERS = 120


def epsilons() -> list[tuple[str, str, str, str]]:
    """Of some ε: the factor e^ε, and what 10 % and 50 % become by it at most."""
    rows = []
    for epsilon in _EPSILONS:
        factor = math.exp(epsilon)
        most = [f"{100 * at_most(prior, epsilon):.1f} %" for prior in (0.1, 0.5)]
        rows.append((f"{epsilon:g}", f"{factor:.3g}", most[0], most[1]))
    return rows


def communities(store: Store, min_reports: int) -> dict[str, Any]:
    """All communities, with how many have reported and what they were labelled."""
    progress, predictions, flags = store.progress(), store.results.predictions(), store.results.flag_counts()
    rows: list[dict[str, Any]] = [
        {
            "community": each,
            "invited": progress.get(each.key, (0, 0, 0))[0],
            "reported": progress.get(each.key, (0, 0, 0))[1],
            "prediction": _label(predictions.get(each.key), min_reports),
            "flagged": flags.get(each.key, 0),
        }
        for each in store.communities()
    ]
    totals = {
        "communities": len(rows),
        "users": sum(row["community"].n for row in rows),
        "reported": sum(row["reported"] for row in rows),
        "labelled": sum(1 for row in rows if row["prediction"]),
    }
    return {"here": "communities", "rows": rows, "totals": totals}


def _label(prediction: Prediction | None, min_reports: int) -> Prediction | None:
    """A label, where enough had reported when it was given."""
    return prediction if prediction is not None and enough(prediction.reported, min_reports) else None


def community(store: Store, id: str, min_reports: int) -> dict[str, Any]:
    """One community: progress, noisy degrees, flagged users and its label."""
    found = store.community(id)
    invited, reported, deleted = store.progress().get(found.key, (0, 0, 0))
    flags = store.results.flags(found.key)
    names = store.roster(found) if flags else []
    flagged = [{"user": user, "name": names[user], "reason": reason} for user, reason in flags.items()]
    degrees = store.noisy_degrees(found)
    shown = degrees if enough(len(degrees), min_reports) else []
    return {
        "here": "communities",
        "community": found,
        "invited": invited,
        "reported": reported,
        "deleted": deleted,
        "flagged": flagged[:_FLAGGED_SHOWN],
        "flagged_more": max(0, len(flagged) - _FLAGGED_SHOWN),
        "prediction": _label(store.results.predictions().get(found.key), min_reports),
        "degrees": histogram(shown),
        "mean_degree": sum(shown) / len(shown) if shown else None,
        "second": _second(store, found, reported, min_reports),
        "min_reports": min_reports,
        "chart": {"width": WIDTH, "height": HEIGHT},
    }


def _second(store: Store, community: Community, reported: int, min_reports: int) -> dict[str, Any] | None:
    """The second round of a community that has one: how many are asked, and have answered, where that may be shown."""
    if community.mechanism != "hub-counts" or community.hub_from is None:
        return None
    counts = shown_progress(store.second_round.progress(community), reported, min_reports)
    hubs, answered = counts or (None, None)
    return {"hubs": hubs, "answered": answered, "busy_from": community.busy_from or BUSY_FROM}


def play() -> dict[str, Any]:
    """The invented community of the playground, large enough to have hubs, and the numbers by which clients draw."""
    return {
        "others": _PLAYERS - 1,
        "hub_from": hub_from(_PLAYERS, LIST_TIMES),
        "lists_above": f"{LISTS_ABOVE:g}",
        "share": LIST_SHARE,
    }


def runs(store: Store) -> dict[str, Any]:
    """All trainings."""
    return {"here": "runs", "runs": store.results.runs()}


def percent(share: float) -> str:
    """A share in words."""
    return f"{100 * share:.0f} %"


def moment(when: datetime | None) -> str:
    """A time in words."""
    return when.strftime("%Y-%m-%d %H:%M UTC") if when else "–"
