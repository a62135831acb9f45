"""``graphldp statistics`` and ``graphldp plan``: what communities look like, and what to expect beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.names import EPSILON
from graphldp.cli.shared import console
from graphldp.errors import FormatError, bad_parameter

if TYPE_CHECKING:
    from graphldp.estimates import Statistics
    from graphldp.reports import Reports

app = typer.Typer()
CsvOption = Annotated[bool, typer.Option("--csv", help="Print tidy CSV, for R and spreadsheets.")]


def show_statistics(found: Statistics, *, as_json: bool, as_csv: bool) -> None:
    """Print rows as a table, as JSON or as CSV."""
    if as_json and as_csv:
        raise bad_parameter("csv", "statistics", "left out with --json", "--csv")
    if as_csv:
        print(found.to_csv(), end="")
        return
    vague = any(row.vague for row in found)
    several = len({row.community for row in found}) > 1
    rows = [
        ({"community": row.community} if several else {})
        | {"what": row.title, "estimate": row.told(row.best), "from": row.told(row.low), "to": row.told(row.high)}
        | ({"note": "too noisy to tell" if row.vague else ""} if vague else {})
        for row in found
    ]
    console.show(found.to_records() if as_json else rows, as_json=as_json)
    for words in dict.fromkeys([*(row.assumed for row in found if row.assumed), *found.notes]):
        console.err.print(words, highlight=False)


@app.command(
    epilog="""Examples:

graphldp statistics reports.npz

graphldp statistics reports.npz --csv > statistics.csv
"""
)
def statistics(
    file: Annotated[Path, typer.Argument(help="Reports: a .npz file.", metavar="FILE")],
    as_csv: CsvOption = False,
    as_json: console.JsonOption = False,
) -> None:
    """Say what communities look like, each number with its 95 % interval.

    Noisy degrees tell friendships, who has none, the histogram, stars and inequality. Friend counts by group tell how
    groups mix. Lists tell triangles and clustering. FILE is what 'graphldp randomize --out' or 'graphldp collect
    export' wrote.
    """
    from graphldp.estimates import statistics as estimated

    show_statistics(estimated(read_reports(file)), as_json=as_json, as_csv=as_csv)


def read_reports(file: Path) -> Reports:
    """The reports in a file."""
    from graphldp.cli.shared.options import read_file
    from graphldp.reports import Reports

    reports = read_file(file)
    if not isinstance(reports, Reports):
        raise FormatError(f"{file}: it holds raw graphs; 'graphldp randomize' draws reports of them.")
    return reports


@app.command(epilog="Example: graphldp plan --users 200 --groups 4 --epsilon 1")
def plan(
    users: Annotated[int, typer.Option(metavar="N", help="In the roster.")],
    groups: Annotated[int, typer.Option(metavar="N", help="Into which they fall.")] = 1,
    epsilon: Annotated[float, EPSILON] = 1.0,
    reporting: Annotated[float, typer.Option(metavar="SHARE", help="The share of users who will answer.")] = 1.0,
    friends: Annotated[
        float | None, typer.Option(metavar="N", help="How many friends they may have on average.")
    ] = None,
    clustering: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of pairs of somebody's friends who may be friends.")
    ] = 0.2,
    as_json: console.JsonOption = False,
) -> None:
    """Say which errors to expect of a survey, before anybody is asked.

    Each number is asked for with all of epsilon. Below stand the accuracies that were measured of labels.
    """
    from graphldp.estimates import plan as planned

    made = planned(
        users=users, groups=groups, epsilon=epsilon, reporting=reporting, friends=friends, clustering=clustering
    )
    if as_json:
        console.show_json({"rows": made.to_records(), "learning": made.learned()})
        return
    console.show(
        [{"asked for": row.survey, "what": row.name, "error (95 %)": row.words} for row in made.rows], as_json=False
    )
    console.show([each.words() for each in made.learning], as_json=False, title="Labels, by communities learned from")
    console.err.print(made.measured, highlight=False)
