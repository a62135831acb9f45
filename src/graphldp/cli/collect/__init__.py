"""``graphldp collect``: what an operator does. It works on the collector's database, beside a running server."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli import console
from graphldp.cli.collect import community as collect_community
from graphldp.cli.collect import learning as collect_learning
from graphldp.cli.collect import operator as collect_operator
from graphldp.cli.collect.store import CommunitiesOption, CommunityArgument, chosen, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.errors import bad_parameter

app = typer.Typer(
    help="Open communities, invite users, and learn from what they reported.",
    epilog="Example: graphldp collect community create cats --roster cats.txt --epsilon 1 && "
    "graphldp collect invite cats --server https://reports.example.org --out invitations",
    no_args_is_help=True,
)
app.add_typer(collect_community.app, name="community")
app.add_typer(collect_operator.app, name="operator")
app.command(epilog="Example: graphldp collect train model.npz --defense threshold")(collect_learning.train)
app.command(epilog="Example: graphldp collect label model.npz --community cats")(collect_learning.label)


@app.command(epilog="Example: graphldp collect invite cats --server https://reports.example.org --out invitations")
def invite(
    community: CommunityArgument,
    server: Annotated[str, typer.Option(help="The collector's public address, as clients reach it.", metavar="URL")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A folder for the invitations.", metavar="FOLDER")],
    users: Annotated[
        list[int] | None,
        typer.Option("--user", help="A slot; may be given often. Its earlier token is void from now on."),
    ] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write an invitation for every user who has none, or anew for some.

    FOLDER/12.json is for the user in slot 12, and FOLDER/index.csv says who that is. Invitations are secret: whoever
    holds one can report in that user's place, once. The collector keeps their hashes only.
    """
    store = open_database(database)
    found = store.community(community)
    if found.closed_at is not None:
        raise bad_parameter("community", "invite", "an open community", community)
    roster = store.roster(found)
    out.mkdir(parents=True, exist_ok=True, mode=0o700)
    issued = store.invite(community, users)
    for user, token in issued.items():
        _write_secret(out / f"{user}.json", {"server": server, "community": community, "token": token})
    with (out / "index.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["slot", "name", "file"])
        writer.writerows([user, roster[user], f"{user}.json"] for user in issued)
    console.show_one({"community": community, "invited": len(issued), "folder": str(out)}, as_json=as_json)


@app.command(epilog="Example: graphldp collect export reports.npz --community cats --community dogs")
def export(
    file: Annotated[Path, typer.Argument(help="Where to write the reports, a .npz file.", metavar="FILE")],
    communities: CommunitiesOption = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write the reports of communities as one file, for 'graphldp train' or for Python.

    Users who have not reported are marked as missing. The file has labels where all of the communities do.
    """
    from graphldp.collector.storage.export import export as gather

    if file.suffix != ".npz":
        raise bad_parameter("FILE", "export", "a file that ends in .npz", str(file))
    store = open_database(database)
    reports = gather(store, chosen(store, communities))
    reports.save(file)
    absent = 0 if reports.missing is None else int(reports.missing.sum())
    row = {
        "file": str(file),
        "communities": reports.num_graphs,
        "users": reports.num_users,
        "reported": reports.num_users - absent,
        "labels": reports.labels is not None,
    }
    console.show_one(row, as_json=as_json)


@app.command("delete-report", epilog="Example: graphldp collect delete-report cats 12")
def delete_report(
    community: CommunityArgument,
    user: Annotated[int, typer.Argument(help="The user's slot.", metavar="USER")],
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Delete a user's report for good. Her slot stays taken: she cannot report again in this epoch."""
    open_database(database).delete_report(community, user)
    console.show_one({"community": community, "user": user, "deleted": True}, as_json=as_json)


def _write_secret(path: Path, fields: dict[str, str]) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(fields, file)
