"""``graphldp collect invite``: tokens for slots, as files to hand to their users."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunityArgument, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import check_folder, folder_help
from graphldp.errors import ParameterError

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet computes


def invite(
    community: CommunityArgument,
    server: Annotated[str, typer.Option(help="The collector's public address, as clients reach it.", metavar="URL")],
    out: Annotated[Path, typer.Option("--out", "-o", help=folder_help("the invitations"), metavar="FOLDER")],
    users: Annotated[
        list[int] | None,
        typer.Option("--user", help="A slot; may be given often. Its earlier token is void from now on."),
    ] = None,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write an invitation for every user who has none, or anew for some.

    FOLDER/12.json is for the user in slot 12, and FOLDER/index.csv says who that is. Nothing is overwritten: use a new
    folder each time. Invitations are secret: whoever holds one can report in that user's place, once. The collector
    keeps their hashes only.
    """
    from graphldp.wire import Invitation

    check_folder(out, "collect invite")
    store = open_database(database)
    drawn = store.invitations.draw(community, users)
    invitations = {}
    for user, token in drawn.items():
        invitations[user] = Invitation(server, community, token).to_json()
        Invitation.from_json(invitations[user])  # what no client would take is not worth an old token
    if drawn:
        roster = store.roster(store.community(community))
        files = {f"{user}.json": text for user, text in invitations.items()}
        files["index.csv"] = _index({user: roster[user] for user in drawn})
        written = _write(out, files)
        try:
            store.invitations.keep(community, drawn, replace=users is not None)
        except BaseException:
            _remove(written)
            raise
    console.show_one({"community": community, "invited": len(drawn), "folder": str(out)}, as_json=as_json)


def _index(names: Mapping[int, str]) -> str:
    """Who is in which slot, as CSV that a spreadsheet shows and does not compute."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["slot", "name", "file"])
    for user, name in names.items():
        writer.writerow([user, f"'{name}" if name.lstrip(" ").startswith(_FORMULAS) else name, f"{user}.json"])
    return text.getvalue()


def _write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """New files for their owner's eyes only: all of them, or none where one cannot be written or is there already."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    written: list[Path] = []
    try:
        for name, text in files.items():
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            written.append(folder / name)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
    except FileExistsError as error:
        _remove(written)
        raise ParameterError(f"{error.filename} is there already. Give another folder; nobody was invited.") from None
    except BaseException:
        _remove(written)
        raise
    return written


def _remove(files: list[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
