"""``graphldp collect invite``: tokens for slots, as files to hand to their users."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli import console
from graphldp.cli.collect.store import CommunityArgument, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.errors import bad_parameter


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


def _write_secret(path: Path, fields: dict[str, str]) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(fields, file)
