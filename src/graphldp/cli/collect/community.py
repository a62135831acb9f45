"""``graphldp collect community``: open, show, list, ask, label, close and renew communities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.collect.store import CommunityArgument, ask, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.errors import FormatError

if TYPE_CHECKING:
    from graphldp.collector.community import Community
    from graphldp.wire import Choice

app = typer.Typer(help="Open, show, list, ask, label, close and renew communities.", no_args_is_help=True)


@app.command(epilog="Example: graphldp collect community create cats --roster cats.txt --epsilon 1 --epsilon 2")
def create(
    community: CommunityArgument,
    roster: Annotated[Path, typer.Option(help="The users' names: one per line, or a JSON list.", metavar="FILE")],
    epsilon: Annotated[list[float], typer.Option("--epsilon", "-e", help="An ε to offer; may be given often.")],
    mechanism: Annotated[
        str, typer.Option("--mechanism", "-m", help="dprr, rr, noisy-degrees or hub-counts.")
    ] = "dprr",
    public: Annotated[bool, typer.Option("--public", help="Let users publish their list as it is, too.")] = False,
    allocation: Annotated[str, typer.Option(help="How dprr splits ε: paper, fixed or utility.")] = "paper",
    alpha: Annotated[float, typer.Option(help="The share of ε that dprr spends on edges.")] = 0.9,
    n_max: Annotated[
        int | None, typer.Option(help="Users in your largest community, for the paper's split; this one's by default.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What people call the community; its id by default.")] = None,
    label: Annotated[int | None, typer.Option(help="Its class, where it is known: a whole number.")] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Open a community. Its roster, mechanism and offers of ε are frozen from then on."""
    from graphldp.collector.offers import PUBLIC, offer

    names = read_roster(roster)
    store = open_database(database, make=True)
    offers = [offer(value, mechanism, allocation, alpha, n_max or len(names)) for value in epsilon]
    if public:
        offers.append(PUBLIC)
    made = store.open_community(community, names, mechanism=mechanism, choices=offers, name=name, label=label)
    console.show_one(_row(made, as_json), as_json=as_json)


@app.command(epilog="Example: graphldp collect community show cats")
def show(community: CommunityArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Show what a community publishes.

    Publish the roster's digest where your users trust you: their clients show the same digits, and whoever sees others
    was given another roster.
    """
    from graphldp.collector.settings import load_settings
    from graphldp.collector.storage.second_round import shown_progress

    store = open_database(database)
    found = store.community(community)
    state: dict[str, Any] = {"epoch": found.epoch, "open": found.closed_at is None}
    if found.mechanism == "hub-counts":
        reported = store.progress().get(found.key, (0, 0, 0))[1]
        counts = shown_progress(store.second_round.progress(found), reported, load_settings().min_reports)
        asked, answered = counts or (None, None)
        state |= {"asked from": found.ask_from, "asked": found.asked_at is not None, "question": found.question_digest}
        state |= {"hubs": asked, "hubs that answered": answered}
    console.show_one(_row(found, as_json) | state, as_json=as_json)


@app.command("list", epilog="Example: graphldp collect community list --json")
def list_(database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """List communities: how many of their users were invited and have reported, and their labels.

    The JSON also holds each roster's digest, which 'graphldp collect community show' prints.
    """
    store = open_database(database)
    from graphldp.collector.disclosure import enough
    from graphldp.collector.settings import load_settings

    progress, predictions, least = store.progress(), store.results.predictions(), load_settings().min_reports
    rows = []
    for each in store.communities():
        invited, reported, deleted = progress.get(each.key, (0, 0, 0))
        predicted = predictions.get(each.key)
        if predicted is not None and not enough(predicted.reported, least):
            predicted = None
        digest = {"roster_digest": each.roster_digest} if as_json else {}
        rows.append(
            {
                "community": each.id,
                "epoch": each.epoch,
                "open": each.closed_at is None,
                "users": each.n,
                "invited": invited,
                "reported": reported,
                "deleted": deleted,
                "label": each.label,
                "predicted": predicted.label if predicted else None,
                "confidence": predicted.confidence if predicted else None,
            }
            | digest
        )
    console.show(rows, as_json=as_json)


@app.command("ask", epilog="Example: graphldp collect community ask cats")
def ask_(
    community: CommunityArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Go on without being asked.")] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Ask the hubs of a community by hub-counts their second question, once and for good.

    Who is busy is frozen by the reports that are here: those with a noisy degree of 6 or more. Reports that come later
    count, and do not change it. Hubs answer when their user runs 'graphldp client answer'.
    """
    store = open_database(database)
    found = store.community(community)
    reported = store.progress().get(found.key, (0, 0, 0))[1]
    ask(f"{reported:,} of {found.n:,} users of '{community}' have reported. Freeze who is busy, for good?", yes)
    question = store.second_round.ask(community)
    console.show_one({"community": community, "asked": True, "question": question.digest}, as_json=as_json)


@app.command(epilog="Example: graphldp collect community close cats")
def close(community: CommunityArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Take no more reports in a community."""
    open_database(database).close_community(community)
    console.show_one({"community": community, "open": False}, as_json=as_json)


@app.command(epilog="Example: graphldp collect community renew cats")
def renew(community: CommunityArgument, database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """Close a community's epoch and open the next: the same people and tokens, one more report each.

    Clients draw a new report only when their user asks for it, since it costs its ε again.
    """
    made = open_database(database).open_epoch(community)
    console.show_one({"community": community, "epoch": made.epoch, "open": True}, as_json=as_json)


@app.command("label", epilog="Example: graphldp collect community label cats 1")
def label_(
    community: CommunityArgument,
    label: Annotated[int | None, typer.Argument(help="Its class, a whole number; none at all unsays it.")] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Say which class a community has, so that it can be trained on."""
    open_database(database).set_label(community, label)
    console.show_one({"community": community, "label": label}, as_json=as_json)


def _row(community: Community, as_json: bool) -> dict[str, Any]:
    """What never changes about a community, and its label."""
    from graphldp.wire import spoken

    choices, digest = [choice.to_json() for choice in community.choices], community.roster_digest
    row = {"community": community.id, "users": community.n, "mechanism": community.mechanism, "label": community.label}
    if as_json:
        return row | {"choices": choices, "roster_digest": digest}
    offers = "; ".join(_in_words(choice) for choice in community.choices)
    return row | {"choices": offers, "roster digest": digest, "as clients show it": spoken(digest)}


def read_roster(path: Path) -> list[str]:
    """Names: one per line, or a JSON list."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{path}: not text in UTF-8.") from None
    if not text.lstrip().startswith("["):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        names = json.loads(text)
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(f"{path}: neither one name per line nor a JSON list of names.")
    return names


def _in_words(choice: Choice) -> str:
    return choice.name if choice.public else f"{choice.name} (ε₁ {choice.epsilon1:g}, ε₂ {choice.epsilon2:g})"
