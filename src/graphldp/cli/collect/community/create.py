"""``graphldp collect community create``: open a community."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.community.row import row
from graphldp.cli.collect.store import CommunityArgument, open_database
from graphldp.cli.collect.table import read_column, read_text
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.errors import FormatError

EPILOG = "Example: graphldp collect community create cats --roster cats.txt --epsilon 1 --epsilon 2"


def create(
    community: CommunityArgument,
    roster: Annotated[
        Path,
        typer.Option(
            help="The users' names: one per line, or a JSON list; with --groups the first column of a CSV file.",
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
        typer.Option(help="Users in your largest community, for dprr's split by the paper; this one's by default."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What people call the community; its id by default.")] = None,
    label: Annotated[int | None, typer.Option(help="Its class, where it is known: a whole number.")] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Open a community. Its roster, mechanism, groups and offers of ε are frozen from then on."""
    from graphldp.collector.offers import PUBLIC, Split, offers

    names, grouped = (_read_roster(roster), None) if groups is None else _read_groups(roster, groups)
    split = Split(allocation, alpha, n_max)
    drawn_by, choices = offers(epsilon, mechanism, len(names), split, groups=grouped is not None)
    if public:
        choices.append(PUBLIC)
    store = open_database(database, make=True)
    made = store.open_community(
        *(community, names), mechanism=drawn_by, choices=choices, name=name, label=label, groups=grouped
    )
    console.show_one(row(made, as_json), as_json=as_json)


def _read_groups(path: Path, column: str) -> tuple[list[str], list[str]]:
    """Names and groups."""
    names, groups = read_column(path, column)
    if "" in groups:
        raise FormatError(f"{path}: everybody must be in one group, and row {groups.index('') + 2} has none.")
    return names, groups


def _read_roster(path: Path) -> list[str]:
    """Names: one per line, or a JSON list."""
    text = read_text(path)
    if not text.lstrip().startswith("["):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        names = json.loads(text)
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(f"{path}: neither one name per line nor a JSON list of names.")
    return names
