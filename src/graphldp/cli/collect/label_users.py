"""``graphldp collect label-users``: the classes of single users."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.collect.text_file import read_text
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.source import need_learn
from graphldp.errors import FormatError


def label_users(
    community: CommunityArgument,
    labels: Annotated[
        Path,
        typer.Option(
            help="A CSV file with a header: names in the first column, and the classes of some of them in a column "
            "'label'. Where a cell is empty, the class is not known.",
            metavar="FILE",
        ),
    ],
    seed: Annotated[int, typer.Option(help="Of the users held out.")] = 0,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Find the classes of a community's users from some known ones, and from what all users reported.

    For communities by friend-counts, or by rr at a large ε. Only users who have reported are labelled. A fifth of the
    known users is held out first, to measure accuracy; what a user's own group alone would give is shown beside it.
    Then it learns from all known users. There is no label below the setting 'min_reports' ($GRAPHLDP_MIN_REPORTS).
    """
    need_learn("collect label-users")
    store = open_database(database)
    from graphldp.collector.acting import noting
    from graphldp.collector.roles import Role
    from graphldp.collector.settings import load_settings
    from graphldp.experiments.collected_users import classify_users

    with noting(store, actor(), "reports.label-users", Role.OPERATOR, community):
        found = store.community(community)
        known = _known(labels, store.roster(found))
        made = classify_users(store, found, known, seed=seed, min_reports=load_settings().min_reports)
    low, high = made.interval
    rows = [{"name": each.name, "label": each.label, "confidence": each.confidence} for each in made.users]
    if as_json:
        about = {"community": found.id, "reported": made.reported, "known": made.known, "held out": made.held_out}
        about |= {"held-out accuracy": made.accuracy, "low": low, "high": high, "by group alone": made.by_group}
        console.show_json(about | {"users": rows})
        return
    console.show(rows, as_json=False)
    said = (
        f"{made.reported:,} of {found.n:,} users have reported, and the classes of {made.known:,} of these are known. "
        f"Of {made.held_out} held-out users {made.accuracy:.0%} are right (95 % interval {low:.2f} to {high:.2f}); by "
        f"their own group alone it would be {made.by_group:.0%}."
    )
    console.err.print(said, soft_wrap=True, highlight=False)


def _known(path: Path, roster: list[str]) -> dict[int, str]:
    """The known classes, by the users' numbers."""
    from graphldp.collector.rosters import read_column
    from graphldp.wire import plain

    numbers, known = {plain(name): number for number, name in enumerate(roster)}, dict[int, str]()
    for row, (name, label) in enumerate(zip(*read_column(read_text(path), "label", str(path)), strict=True), 2):
        number = numbers.get(plain(name))
        if number is None:
            raise FormatError(f"{path}: row {row} names somebody who is not in the community's roster.")
        if number in known:
            raise FormatError(f"{path}: row {row} names somebody for the second time.")
        known[number] = label
    return {number: label for number, label in known.items() if label}
