"""``graphldp collect invite``: tokens for slots, as links, QR codes and files to hand to their users."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.collect.store import CommunityArgument, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import check_folder, folder_help
from graphldp.errors import ParameterError

if TYPE_CHECKING:
    from graphldp.collector.actions.inviting import Invited


def invite(
    community: CommunityArgument,
    server: Annotated[str, typer.Option(help="The collector's public address, as clients reach it.", metavar="URL")],
    out: Annotated[Path, typer.Option("--out", "-o", help=folder_help("the invitations"), metavar="FOLDER")],
    users: Annotated[
        list[int] | None,
        typer.Option("--user", help="Invite only this slot; may be repeated. Its earlier invitation stops working."),
    ] = None,
    page: Annotated[
        str | None, typer.Option(help="The address of the page for members, if another server hosts it.")
    ] = None,
    expires: Annotated[
        float | None,
        typer.Option(help="Days after which an unused invitation stops working.", metavar="DAYS"),
    ] = None,
    qr: Annotated[bool, typer.Option("--qr", help="Write each link as a QR code too: FOLDER/12.svg.")] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write an invitation for every user who has none, or a new one for users that you name.

    FOLDER/index.csv has a line for each user with her link, for a mail merge. She opens it in a browser and takes part
    there. FOLDER/12.json is the same invitation for the program of the user in slot 12. Nothing is overwritten: use a
    new folder each time. Invitations are secret: whoever holds one can report in that user's place, once. The
    collector keeps their hashes only.
    """
    from graphldp.collector.actions.inviting import invite as send_out
    from graphldp.collector.actions.inviting import mail_merge
    from graphldp.collector.qr import svg

    check_folder(out, "collect invite")
    written: list[Path] = []

    def hand_over(invited: Sequence[Invited]) -> None:
        files = {f"{each.user}.json": each.invitation.to_json() for each in invited}
        files |= {f"{each.user}.svg": svg(each.link) for each in invited if qr}
        files["index.csv"] = mail_merge(invited, files=True)
        written.extend(_write(out, files))

    store = open_database(database)
    try:
        made = send_out(
            *(store, actor(), community), server=server, users=users, page=page, days=expires, hand_over=hand_over
        )
    except BaseException:
        _remove(written)
        raise
    console.show_one({"community": community, "invited": len(made), "folder": str(out)}, as_json=as_json)


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
