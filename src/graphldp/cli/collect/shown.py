"""The output of ``graphldp collect community``: one community, or all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.collect.store import communities, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

if TYPE_CHECKING:
    from graphldp.collector.community import Community
    from graphldp.collector.storage.store import Store
    from graphldp.wire import Choice


app = typer.Typer()


def row(community: Community, classes: Mapping[int, str], *, as_json: bool) -> dict[str, Any]:
    """A community's facts that never change, and its label."""
    from graphldp.wire import spoken

    choices, digest = [choice.to_json() for choice in community.choices], community.roster_digest
    base: dict[str, Any] = {
        "community": community.id,
        "name": community.called,
        **(community.inquiry.to_json() if community.inquiry else {}),
        "users": community.n,
        "mechanism": community.mechanism,
        "label": community.label,
        "class": None if community.label is None else classes.get(community.label),
        "trusted": community.trusted,
    }
    if community.retention_days is not None:
        kept = {"retention_days": community.retention_days, "keeps_models": community.keeps_models}
        base |= kept if as_json else {"reports are kept": community.kept}
    if community.group_names:
        base["witnesses"] = community.dealt if as_json else "yes" if community.dealt else "no"
        base["groups"] = list(community.group_names) if as_json else ", ".join(community.group_names)
    if as_json:
        return base | {"choices": choices, "roster_digest": digest}
    offers = "; ".join(_in_words(community, choice) for choice in community.choices)
    words = "; ".join(_promise(choice) for choice in community.choices)
    return base | {
        "choices": offers,
        "what they promise": words,
        "roster digest": digest,
        "as clients show it": spoken(digest),
    }


def _in_words(community: Community, choice: Choice) -> str:
    from graphldp.collector.offers import spent_on

    if choice.public:
        return f"{choice.name} (her list as it is)"
    return f"{choice.name} (ε = {choice.epsilon1 + choice.epsilon2:g}, spent on {spent_on(community, choice)})"


def _promise(choice: Choice) -> str:
    """The meaning of ε for one friendship: what somebody who sees the report may come to believe."""
    from graphldp.collector.storage.community_list import at_most

    if choice.public:
        return f"{choice.name}: nothing is hidden"
    now = at_most(0.1, choice.epsilon1 + choice.epsilon2)
    return f"{choice.name}: a guess of 10 % that two are friends becomes at most {100 * now:.1f} %"


@app.command(
    epilog="""Examples:
graphldp collect community show
graphldp collect community show cats
"""
)
def show(
    community: Annotated[
        str | None,
        typer.Argument(help="One of them, with all there is.", metavar="[COMMUNITY]", autocompletion=communities),
    ] = None,
    search: Annotated[str, typer.Option(help="Only those whose name or id contains this.", metavar="TEXT")] = "",
    state: Annotated[
        str, typer.Option(metavar="STATE", help="all, open, closed, labelled (of a known class) or unlabelled.")
    ] = "all",
    sort: Annotated[
        str,
        typer.Option(metavar="ORDER", help="oldest, newest, name, largest, smallest, most-reported or least-reported."),
    ] = "oldest",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List communities: how many users have reported, known classes and labels found. Or show one of them.

    The class is what you said; the label is what a model found, with its probability. The JSON of the list also holds
    epochs, deletions, who is trusted, and each roster's digest.

    Of one community it shows what it publishes, and how many have reported. No user is named. Publish the roster's
    digest in a place that your users trust. Their clients show the same digits. Whoever sees other digits was given
    another roster.
    """
    store = open_database(database)
    if community is None:
        _list(store, search, state, sort, as_json)
    else:
        _show(store, community, as_json)


def _show(store: Store, community: str, as_json: bool) -> None:
    from graphldp.collector.settings import load_settings
    from graphldp.collector.storage.community_list import overview
    from graphldp.wire import WITH_SECOND

    seen, classes = overview(store, community, load_settings().min_reports), store.classes.names()
    found = seen.community
    state: dict[str, Any] = {"members see": found.name} if found.title else {}
    state |= {"epoch": found.epoch, "open": found.closed_at is None}
    now = seen.epochs[-1]
    state |= {"invited": now.invited, "reported": now.reported, "deleted": now.deleted}
    if found.mechanism in WITH_SECOND:
        asked, answered = seen.second or (None, None)
        state |= {"asked": found.asked_at is not None, "question": found.question_digest}
        if found.answer_until is None:
            state |= {"hubs from": found.hub_from, "busy from": found.busy_from}
            state |= {"hubs": asked, "hubs that answered": answered}
        else:
            state |= {"lists wait until": str(found.answer_until), "answered": answered}
    if as_json:
        state["epochs"] = [asdict(each) for each in seen.epochs]
        state["arrivals"] = {str(day): count for day, count in store.tally.arrivals(found).items()}
    elif len(seen.epochs) > 1:
        before = [f"{each.reported:,} in epoch {each.epoch}" for each in seen.epochs[:-1]]
        state["reported before"] = ", ".join(before)
    label = seen.prediction
    state |= {"predicted": label and label.label, "predicted class": classes.get(label.label) if label else None}
    state |= {"confidence": label and label.confidence}
    state |= {"model": label and label.model, "flagged": seen.flagged}
    console.show_one(row(found, classes, as_json=as_json) | state, as_json=as_json)


def _list(store: Store, search: str, state: str, sort: str, as_json: bool) -> None:
    from graphldp.collector.community import enough
    from graphldp.collector.settings import load_settings
    from graphldp.collector.storage.community_list import CommunitySearch, list_communities

    least, classes = load_settings().min_reports, store.classes.names()
    rows = []
    for line in list_communities(store, CommunitySearch(search, state, sort), per_page=None).communities:
        each, label = line.community, line.prediction
        if label is not None and not enough(label.reported, least):
            label = None
        if as_json:
            rows.append(
                {
                    "community": each.id,
                    "epoch": each.epoch,
                    "open": each.closed_at is None,
                    "users": each.n,
                    "invited": line.invited,
                    "reported": line.reported,
                    "deleted": line.deleted,
                    "label": each.label,
                    "trusted": each.trusted,
                    "predicted": label and label.label,
                    "confidence": label and label.confidence,
                    "withstands": label and label.certified,
                    "roster_digest": each.roster_digest,
                }
            )
            continue
        known = None if each.label is None else classes.get(each.label, str(each.label))
        found = label and f"{classes.get(label.label, label.label)}, {label.confidence:.0%}"
        state_now = "open" if each.closed_at is None else "closed"
        reported = f"{line.reported:,} of {each.n:,}"
        rows.append({"community": each.id, "state": state_now, "reported": reported, "class": known, "label": found})
    console.show(rows, as_json=as_json)
