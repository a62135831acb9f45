"""``graphldp collect community create``: open a community."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.community.row import row
from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.collect.text_file import read_text
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community create cats --roster cats.txt --epsilon 1 --epsilon 2"


def create(
    community: CommunityArgument,
    roster: Annotated[
        Path,
        typer.Option(
            help="The users' names: one per line, a JSON list, or the first column of a .csv file with a header.",
            metavar="FILE",
        ),
    ],
    epsilon: Annotated[list[float], typer.Option("--epsilon", "-e", help="An ε to offer; may be repeated.")],
    mechanism: Annotated[
        str | None,
        typer.Option(
            "--mechanism",
            "-m",
            help="noisy-degrees, hub-lists, hub-counts, friend-counts, dprr or rr; by default what is recommended at "
            "these ε: noisy-degrees, or hub-lists where one is above 1; with --groups friend-counts.",
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            help="The column of the roster that says in which public group each user is. Friends are then counted by "
            "group, to find classes of single users.",
            metavar="COLUMN",
        ),
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="Let users publish their list as it is, too.")] = False,
    allocation: Annotated[
        str | None, typer.Option(help="How dprr splits ε: paper (the default), fixed or utility.")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="The share of ε that dprr spends on edges; 0.9 by default.")
    ] = None,
    n_max: Annotated[
        int | None,
        typer.Option(
            help="For dprr's split by the paper: the users of your largest community; by default of this one."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What people call the community; its id by default.")] = None,
    label: Annotated[str | None, typer.Option(help="Its class, where it is known: a name or a number.")] = None,
    retention: Annotated[
        int | None,
        typer.Option(help="Promise members that a report is deleted after so many days.", metavar="DAYS"),
    ] = None,
    keep_models: Annotated[
        bool,
        typer.Option(
            "--keep-models/--drop-models",
            help="Whether models that learned from a report may be used after its deletion.",
        ),
    ] = True,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Open a community. Its roster, mechanism, groups, offers of ε and promises are frozen from then on."""
    from graphldp.collector.actions.communities import NewCommunity
    from graphldp.collector.actions.communities import create as open_it
    from graphldp.collector.communities.offers import Split
    from graphldp.collector.communities.rosters import read_roster

    table = roster.suffix.lower() == ".csv"
    people = read_roster(read_text(roster), str(roster), table=table, groups=groups)
    split = Split(allocation, alpha, n_max)
    opening = NewCommunity(people, epsilon, mechanism, public, split, name, label, retention, keep_models)
    opening.check(community)
    store = open_database(database, make=True)
    made = open_it(store, actor(), community, opening)
    console.show_one(row(made, store.classes.names(), as_json=as_json), as_json=as_json)
