"""``graphldp collect invite``: tokens for slots, as links, QR codes and files to hand to their users."""

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
        typer.Option("--user", help="A slot; may be repeated. Its earlier token is void from now on."),
    ] = None,
    page: Annotated[
        str | None, typer.Option(help="Where somebody else hosts the page for members; the server by default.")
    ] = None,
    qr: Annotated[bool, typer.Option("--qr", help="Write each link as a QR code too: FOLDER/12.svg.")] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write an invitation for every user who has none, or anew for some.

    FOLDER/index.csv has a line for each user with her link, for a mail merge. She opens it in a browser and takes part
    there. FOLDER/12.json is the same invitation for the program of the user in slot 12. Nothing is overwritten: use a
    new folder each time. Invitations are secret: whoever holds one can report in that user's place, once. The
    collector keeps their hashes only.
    """
    from graphldp.collector.qr import svg
    from graphldp.wire import Invitation, address

    check_folder(out, "collect invite")
    store = open_database(database)
    drawn = store.invitations.draw(community, users)
    where = address(server)  # what no client would take is not worth an old token
    invitations = {user: Invitation(where, community, token) for user, token in drawn.items()}
    links = {user: each.to_link(page) for user, each in invitations.items()}
    if drawn:
        roster = store.roster(store.community(community))
        files = {f"{user}.json": each.to_json() for user, each in invitations.items()}
        files |= {f"{user}.svg": svg(link) for user, link in links.items() if qr}
        files["index.csv"] = _index({user: roster[user] for user in drawn}, links)
        written = _write(out, files)
        try:
            store.invitations.keep(community, drawn, replace=users is not None)
        except BaseException:
            _remove(written)
            raise
    console.show_one({"community": community, "invited": len(drawn), "folder": str(out)}, as_json=as_json)


def _index(names: Mapping[int, str], links: Mapping[int, str]) -> str:
    """Who is in which slot, and her link, as CSV that a spreadsheet shows and does not compute."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["slot", "name", "link", "file"])
    for user, name in names.items():
        shown = f"'{name}" if name.lstrip(" ").startswith(_FORMULAS) else name
        writer.writerow([user, shown, links[user], f"{user}.json"])
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
