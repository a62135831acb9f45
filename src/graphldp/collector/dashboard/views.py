"""What each page shows, as values for its template."""

from __future__ import annotations

import math
from dataclasses import asdict
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from graphldp.collector.actions.collected import FORMATS
from graphldp.collector.communities.arrivals import arrivals
from graphldp.collector.communities.community import Community
from graphldp.collector.communities.disclosure import enough
from graphldp.collector.communities.friends_by_group import friends_by_group
from graphldp.collector.communities.overview import at_most
from graphldp.collector.dashboard.charts import HEIGHT, NARROW, WIDTH, arrivals_chart, group_chart, histogram
from graphldp.collector.dashboard.costs import compared, measured, offered
from graphldp.collector.dashboard.forms import Form
from graphldp.collector.storage.collecting.listing import PER_PAGE, SORTS, STATES, Wanted, class_sizes, list_communities
from graphldp.collector.storage.collecting.second_round import shown_progress
from graphldp.collector.storage.operating.results import Prediction
from graphldp.collector.storage.store import Store
from graphldp.privacy.hubs import BUSY_FROM, LIST_SHARE, LIST_TIMES, LISTS_ABOVE, hub_from
from graphldp.wire import PRIVATE_MECHANISMS, spoken

SHEET = 200  # QR codes on one page: more take a browser long to draw, and a printer longer
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


def communities(store: Store, wanted: Wanted, min_reports: int) -> dict[str, Any]:
    """A page of communities, with how many have reported and what they were labelled."""
    listing = list_communities(store, wanted)
    counts = store.tally.all()
    rows = [{"line": line, "prediction": _label(line.prediction, min_reports)} for line in listing.lines]
    asked = {name: value for name, value in asdict(wanted).items() if value != getattr(Wanted(), name)}
    return {
        "here": "communities",
        "rows": rows,
        "listing": listing,
        "reported": None if counts is None else sum(each[1] for each in counts.values()),
        "wanted": wanted,
        "searched": bool(asked.keys() - {"page", "sort"}),
        "earlier": "?" + urlencode(asked | {"page": wanted.page - 1}) if wanted.page > 1 else None,
        "later": "?" + urlencode(asked | {"page": wanted.page + 1}) if wanted.page < listing.pages else None,
        "first": (wanted.page - 1) * PER_PAGE + 1,
        "states": tuple(STATES),
        "sorts": tuple(SORTS),
        "classes": store.classes.names(),
    }


def _label(prediction: Prediction | None, min_reports: int) -> Prediction | None:
    """A label, where enough had reported when it was given."""
    return prediction if prediction is not None and enough(prediction.reported, min_reports) else None


def community(store: Store, id: str, min_reports: int) -> dict[str, Any]:
    """One community: progress, noisy degrees, flagged users and its label."""
    found = store.community(id)
    invited, reported, deleted = store.tally.of([found.key]).get(found.key, (0, 0, 0))
    flags = store.results.flags(found.key)
    names = store.roster(found) if flags else []
    flagged = [{"user": user, "name": names[user], "reason": reason} for user, reason in flags.items()]
    degrees = store.noisy_degrees(found)
    shown = degrees if enough(len(degrees), min_reports) else []
    counted = friends_by_group(store, found, min_reports)
    return {
        "here": "communities",
        "community": found,
        "invited": invited,
        "reported": reported,
        "deleted": deleted,
        "flagged": flagged[:_FLAGGED_SHOWN],
        "flagged_more": max(0, len(flagged) - _FLAGGED_SHOWN),
        "prediction": _label(store.results.predictions([found.key]).get(found.key), min_reports),
        "degrees": histogram(shown),
        "mean_degree": sum(shown) / len(shown) if shown else None,
        "counted": counted,
        "groups": group_chart(counted),
        "second": _second(store, found, reported, min_reports),
        "min_reports": min_reports,
        "chart": {"width": WIDTH, "height": HEIGHT, "narrow": NARROW},
        "arrivals": arrivals_chart(arrivals(store, found)),
        "classes": store.classes.names(),
        "formats": FORMATS,
        "spoken": spoken(found.roster_digest),
    }


def new(form: Form | None = None) -> dict[str, Any]:
    """The form that opens a community, as it was filled in."""
    given = Form({"epsilon": ["1"], "paste": ["lines"], "keeps_models": ["yes"]}, {}) if form is None else form
    return {
        "here": "communities",
        "given": given,
        "chosen": given.all("epsilon"),
        "offered": offered(),
        "compared": compared(),
        "datasets": [(each["dataset"], each["short"], each["about"]) for each in measured()],
        "mechanisms": PRIVATE_MECHANISMS,
    }


def invite(store: Store, id: str) -> dict[str, Any]:
    """Who can be invited."""
    found = store.community(id)
    invited, reported, deleted = store.tally.of([found.key]).get(found.key, (0, 0, 0))
    return {
        "here": "communities",
        "community": found,
        "without": found.n - invited,
        "silent": max(0, invited - reported - deleted),
        "per_sheet": SHEET,
    }


def delete(store: Store, id: str) -> dict[str, Any]:
    """What would go with a community."""
    found = store.community(id)
    going = asdict(store.removals.belongings(id))
    return {"here": "communities", "community": found, "going": {what: count for what, count in going.items() if count}}


def classes(store: Store) -> dict[str, Any]:
    """Classes by number: what they are called, and how many communities have them."""
    names, counts = store.classes.names(), class_sizes(store)
    return {
        "here": "classes",
        "rows": [(each, names.get(each), counts.get(each, 0)) for each in sorted(names | counts)],
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


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number and what it counts, in words: "1 user", "2 users"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """A share in words."""
    return f"{100 * share:.0f} %"


def fine(share: float) -> str:
    """A small share in words, with all of its digits."""
    return f"{100 * share:g} %"


def moment(when: datetime | None) -> str:
    """A time in words."""
    return when.strftime("%Y-%m-%d %H:%M UTC") if when else "–"
