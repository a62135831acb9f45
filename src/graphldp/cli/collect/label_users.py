"""``graphldp collect label-users``: the classes of single users."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.collect.text_file import read_text
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.source import need_learn
from graphldp.errors import FormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    number: Annotated[
        list[str] | None,
        typer.Option(
            help="A column of the same file that holds a public number of everybody, to learn from as well; repeat it "
            "for several.",
            metavar="COLUMN",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed that decides which known users are held out.")] = 0,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Find the classes of a community's users from some known ones, and from what all users reported.

    For communities by friend-counts, or by rr at a large ε. Only users who have reported are labelled. A fifth of the
    known users is held out first, to measure accuracy. Beside it stands the accuracy from public facts alone, without
    reports. Then it learns from all known users. With fewer reports than the setting 'min_reports'
    ($GRAPHLDP_MIN_REPORTS), nobody is labelled.
    """
    need_learn("collect label-users")
    store = open_database(database)
    from graphldp.collector.acting import noting
    from graphldp.collector.roles import Role
    from graphldp.collector.settings import load_settings
    from graphldp.experiments.service.collected_users import classify_users

    with noting(store, actor(), "reports.label-users", Role.OPERATOR, community):
        found = store.community(community)
        told = _Told(labels, store.roster(found))
        given = {"numbers": told.numbers(number), "seed": seed} if number else {"seed": seed}
        made = classify_users(store, found, told.classes(), **given, min_reports=load_settings().min_reports)
    low, high = made.interval
    rows = [{"name": each.name, "label": each.label, "confidence": each.confidence} for each in made.users]
    if as_json:
        about = {"community": found.id, "reported": made.reported, "known": made.known, "held out": made.held_out}
        about |= {"held-out accuracy": made.accuracy, "low": low, "high": high, "by public columns alone": made.alone}
        console.show_json(about | {"users": rows})
        return
    console.show(rows, as_json=False)
    said = (
        f"{made.reported:,} of {found.n:,} users have reported, and the classes of {made.known:,} of these are known. "
        f"Of {made.held_out} held-out users {made.accuracy:.0%} are right (95 % interval {low:.2f} to {high:.2f}); by "
        f"what is public about them alone it would be {made.alone:.0%}."
    )
    console.err.print(said, soft_wrap=True, highlight=False)


class _Told:
    """A file about users of a roster."""

    def __init__(self, path: Path, roster: list[str]) -> None:
        from graphldp.wire import plain

        self._path, self._text, self._n = path, read_text(path), len(roster)
        self._slots = {plain(name): number for number, name in enumerate(roster)}

    def classes(self) -> dict[int, str]:
        """The known classes, by the users' numbers."""
        return {user: label for user, label in self._column("label").items() if label}

    def numbers(self, columns: list[str]) -> NDArray[np.float64]:
        """Columns of numbers, [users, columns]."""
        import numpy as np

        found = np.zeros((self._n, len(columns)))
        for place, column in enumerate(columns):
            cells = self._column(column)
            if len(cells) < self._n:
                raise FormatError(f"{self._path}: {self._n - len(cells):,} users of the roster are not in it.")
            for user, cell in cells.items():
                try:
                    found[user, place] = float(cell)
                except ValueError:
                    found[user, place] = np.nan
            if not np.isfinite(found[:, place]).all():
                raise FormatError(f"{self._path}: the column '{column}' must hold a number for everybody.")
        return found

    def _column(self, column: str) -> dict[int, str]:
        """What stands in a column, by the users' numbers."""
        from graphldp.collector.communities.rosters import read_column
        from graphldp.wire import plain

        found: dict[int, str] = {}
        for row, (name, cell) in enumerate(zip(*read_column(self._text, column, str(self._path)), strict=True), 2):
            number = self._slots.get(plain(name))
            if number is None:
                raise FormatError(f"{self._path}: row {row} names somebody who is not in the community's roster.")
            if number in found:
                raise FormatError(f"{self._path}: row {row} names somebody for the second time.")
            found[number] = cell
        return found
