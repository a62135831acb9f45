"""The values that pages show, for their templates."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from graphldp.collector.actions.reports import FORMATS
from graphldp.collector.community import Community, enough
from graphldp.collector.dashboard.charts import HEIGHT, WIDTH, arrivals_chart, histogram, matrix
from graphldp.collector.dashboard.forms import Form
from graphldp.collector.offers import Split, offers, spent_on
from graphldp.collector.statistics import on_page
from graphldp.collector.storage.collecting.second_round import shown_progress
from graphldp.collector.storage.community_list import (
    PER_PAGE,
    SORTS,
    STATES,
    CommunitySearch,
    at_most,
    class_sizes,
    list_communities,
)
from graphldp.collector.storage.operating.results import Prediction
from graphldp.collector.storage.store import Store
from graphldp.privacy.hubs import BUSY_FROM, LIST_SHARE, LIST_TIMES, LISTS_ABOVE, hub_from
from graphldp.wire import MILLION, PRIVATE_MECHANISMS, WITH_HUBS, WITH_SECOND, Choice, spoken

if TYPE_CHECKING:
    from graphldp.estimates import Statistics

SHEET = 200  # QR codes on one page: more take a browser long to draw, and a printer longer
_FLAGGED_SHOWN = 200
_EPSILONS = (0.1, 0.5, 1, 2, 4)
_PLAYERS = 120


def epsilons() -> list[tuple[float, list[float]]]:
    """A row for some ε each: what 10 % and 50 % become by it at most, in percent."""
    return [(epsilon, [100 * at_most(prior, epsilon) for prior in (0.1, 0.5)]) for epsilon in _EPSILONS]


def communities(store: Store, wanted: CommunitySearch, min_reports: int) -> dict[str, Any]:
    """A page of communities, with how many have reported and what they were labelled."""
    listing = list_communities(store, wanted)
    counts = store.tally.all()
    rows = [{"listed": each, "prediction": _label(each.prediction, min_reports)} for each in listing.communities]
    asked = {name: value for name, value in asdict(wanted).items() if value != getattr(CommunitySearch(), name)}
    return {
        "here": "communities",
        "rows": rows,
        "listing": listing,
        "min_reports": min_reports,
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
    survey = on_page(store, found, reported, min_reports)
    return {
        "here": "communities",
        "community": found,
        "invited": invited,
        "reported": reported,
        "deleted": deleted,
        "flagged": flagged[:_FLAGGED_SHOWN],
        "flagged_more": max(0, len(flagged) - _FLAGGED_SHOWN),
        "prediction": _label(store.results.predictions([found.key]).get(found.key), min_reports),
        "survey": survey,
        **_pictures(survey.rows),
        "second": _second(store, found, reported, min_reports),
        "min_reports": min_reports,
        "spending": [_spending(found, choice) for choice in found.choices],
        "chart": {"width": WIDTH, "height": HEIGHT},
        "arrivals": arrivals_chart(store.tally.arrivals(found)),
        "classes": store.classes.names(),
        "formats": FORMATS,
        "spoken": spoken(found.roster_digest),
    }


def _spending(community: Community, choice: Choice) -> dict[str, str]:
    """A choice's name, its ε, and what that is spent on, in words."""
    epsilon = "–" if choice.cost is None else f"{choice.cost / MILLION:g}"
    return {"name": choice.name, "epsilon": epsilon, "on": spent_on(community, choice)}


_FIRST = ("friendships", "mean degree", "share without a friend", "E–I index", "assortativity", "clustering")


def _pictures(found: Statistics | None) -> dict[str, Any]:
    """The numbers that come first, the histogram and the mixing of groups."""
    if found is None:
        return {"first": (), "degrees": None, "mixing": None}
    return {
        "first": [row for name in _FIRST for row in found.about(name)],
        "degrees": histogram(found.about("share with degree")),
        "mixing": matrix(found.about("friendships between"), found.about("connectedness")),
    }


def new(min_reports: int, form: Form | None = None) -> dict[str, Any]:
    """The form that opens a community, as it was filled in."""
    given = Form({"epsilon": ["1"], "paste": ["lines"], "keeps_models": ["yes"]}, {}) if form is None else form
    return {
        "here": "communities",
        "min_reports": min_reports,
        "given": given,
        "chosen": given.all("epsilon"),
        "offered": offered(),
        "compared": compared(),
        "datasets": [(each["dataset"], each["short"], each["about"]) for each in measured()],
        "mechanisms": PRIVATE_MECHANISMS,
    }


def planned(users: int, groups: int, epsilon: float, mechanism: str = "") -> dict[str, Any]:
    """The errors to expect of a survey: friends by group where there are groups; by dprr, of what degrees get of ε."""
    from graphldp.estimates import plan  # SciPy is a sixth of what a collector loads

    found = plan(users=users, groups=groups, epsilon=epsilon)
    spent = offers([epsilon], mechanism, users, Split())[1][0].epsilon1 if mechanism == "dprr" else epsilon
    rows = plan(users=users, groups=groups, epsilon=spent).rows
    asked = "degrees" if groups == 1 else "friend counts"
    kind = "closed pairs" if mechanism == "closed-pairs" else "lists" if mechanism == "rr" else asked
    return {"plan": found, "rows": [row for row in rows if row.survey == kind]}


def invite(store: Store, id: str) -> dict[str, Any]:
    """The slots that can be invited."""
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
    """The counts of what would go with a community."""
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
    if community.mechanism not in WITH_SECOND or (community.mechanism in WITH_HUBS and community.hub_from is None):
        return None
    counts = shown_progress(store.second_round.progress(community), reported, min_reports)
    asked, answered = counts or (None, None)
    return {"asked": asked, "answered": answered, "busy_from": community.busy_from or BUSY_FROM}


def play() -> dict[str, Any]:
    """The invented community of the playground, large enough to have hubs, and the numbers by which clients draw."""
    return {
        "others": _PLAYERS - 1,
        "hub_from": hub_from(_PLAYERS, LIST_TIMES),
        "lists_above": f"{LISTS_ABOVE:g}",
        "share": LIST_SHARE,
    }


def runs(store: Store) -> dict[str, Any]:
    """The trainings, all of them."""
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


_FILE = Path(__file__).with_name("accuracy.json")


@dataclass(frozen=True)
class Offered:
    """One ε that an operator can choose."""

    epsilon: str
    words: str
    becomes: str
    accuracy: tuple[tuple[str, str], ...]


_WORDS = {
    "0.2": "very private: a report hardly tells anything of one friendship",
    "0.5": "private: it tells a little",
    "1": "the usual choice: it tells some, and labels are good",
    "2": "less private: it tells clearly more, and labels are a little better",
}


@cache
def measured() -> list[dict[str, Any]]:
    """The measured curves, by dataset."""
    found: list[dict[str, Any]] = json.loads(_FILE.read_text("utf-8"))
    return found


def offered() -> list[Offered]:
    """The ε that were measured, each in words."""
    rows = []
    for epsilon, words in _WORDS.items():
        numbers = (each["epsilon"][epsilon] for each in measured())
        cells = tuple(_cell(each) for each in numbers)
        rows.append(Offered(epsilon, words, f"{100 * at_most(0.1, float(epsilon)):.0f} %", cells))
    return rows


def compared() -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """The accuracies beside them: what a community's size alone gives, and what there would be without privacy."""
    names = {"size alone": "its size alone, without any report", "no privacy": "true lists, without privacy"}
    return [(words, tuple(_cell(each[name]) for each in measured())) for name, words in names.items()]


def _cell(numbers: list[float] | None) -> tuple[str, str]:
    """A mean, and its interval."""
    if numbers is None:
        return "–", ""
    mean, low, high = (f"{100 * each:.0f} %" for each in numbers)
    return mean, f"{low} to {high}"
