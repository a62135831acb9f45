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

    names = _read_roster(roster)
    store = open_database(database, make=True)
    offers = [offer(value, mechanism, allocation, alpha, n_max or len(names)) for value in epsilon]
    if public:
        offers.append(PUBLIC)
    made = store.open_community(community, names, mechanism=mechanism, choices=offers, name=name, label=label)
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
