"""``graphldp collect synthesize``: a graph that looks like a community, to hand on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.collect.store import communities, open_database
from graphldp.cli.names import SEED
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.survey import read_reports
from graphldp.errors import bad_parameter
from graphldp.intervals import LEAST

if TYPE_CHECKING:
    from graphldp.reports import Reports

app = typer.Typer()


@app.command(
    epilog="""Examples:

graphldp collect synthesize cats --out cats.graphml

graphldp collect synthesize --reports counts.npz --reports lists.npz --out drawn.csv
"""
)
def synthesize(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Where to write: .npz, .csv (an edge list) or .graphml.")
    ],
    id: Annotated[str | None, typer.Argument(help="Its id.", metavar="[COMMUNITY]", autocompletion=communities)] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--reports", metavar="FILE", help="Instead: files of reports; several are surveys of the same users."
        ),
    ] = None,
    seed: Annotated[int | None, SEED] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Draw a graph that looks like a community, at no further ε, to hand on.

    It has about the degrees, the mixing of groups and, where lists tell it, the clustering that the reports say. Users
    are numbers in it, and who is whose friend is drawn: it is a graph of nobody. The table says how far its own numbers
    are from the estimates.
    """
    from graphldp.datasets.distances import distances
    from graphldp.datasets.fitting import synthesize as drawn_from
    from graphldp.datasets.loading import write_graphs

    if (id is None) == (not files):
        raise bad_parameter(
            "reports", "collect synthesize", "given in place of COMMUNITY", "both" if files else "neither"
        )
    if files:
        surveys, groups, least = [read_reports(each) for each in files], None, LEAST
    else:
        survey, groups, least = _collected(str(id), database)
        surveys = [survey]
    drawn = drawn_from(surveys, rng=seed, least=least)
    write_graphs(drawn, out)
    found = distances(drawn, surveys, groups=groups, least=least)
    several = drawn.num_graphs > 1
    rows = [
        ({"community": each.community} if several else {})
        | {"what": each.row, "drawn": f"{each.drawn:.4g}", "estimate": f"{each.estimate:.4g}"}
        | {"from": f"{each.low:.4g}", "to": f"{each.high:.4g}", "inside": "yes" if each.inside else "no"}
        for each in found
    ]
    console.show([each.to_record() for each in found] if as_json else rows, as_json=as_json)


def _collected(id: str, database: str | None) -> tuple[Reports, tuple[str, ...] | None, int]:
    """The reports of a community of which enough have reported, its groups' names, and how many reports are enough."""
    from graphldp.collector.settings import load_settings
    from graphldp.collector.statistics import statistics_of
    from graphldp.collector.storage.copies.export import export

    store = open_database(database)
    asked, least = store.community(id), max(load_settings().min_reports, 1)
    statistics_of(store, [asked], least)
    return export(store, [asked]), asked.group_names or None, least
