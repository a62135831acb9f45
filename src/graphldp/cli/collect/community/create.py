"""``graphldp collect community create``: open a community."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.community.row import row
from graphldp.cli.collect.store import CommunityArgument, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.errors import FormatError

EPILOG = "Example: graphldp collect community create cats --roster cats.txt --epsilon 1 --epsilon 2"


def create(
    community: CommunityArgument,
    roster: Annotated[Path, typer.Option(help="The users' names: one per line, or a JSON list.", metavar="FILE")],
    epsilon: Annotated[list[float], typer.Option("--epsilon", "-e", help="An ε to offer; may be given often.")],
    mechanism: Annotated[
        str | None,
        typer.Option(
            "--mechanism",
            "-m",
            help="noisy-degrees, hub-lists, hub-counts, dprr or rr; by default what is recommended at these ε: "
            "noisy-degrees, or hub-lists where one is above 1.",
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
    """Open a community. Its roster, mechanism and offers of ε are frozen from then on."""
    from graphldp.collector.offers import PUBLIC, Split, offers

    names = _read_roster(roster)
    drawn_by, choices = offers(epsilon, mechanism, len(names), Split(allocation, alpha, n_max))
    if public:
        choices.append(PUBLIC)
    store = open_database(database, make=True)
    made = store.open_community(community, names, mechanism=drawn_by, choices=choices, name=name, label=label)
    console.show_one(row(made, as_json), as_json=as_json)


def _read_roster(path: Path) -> list[str]:
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
