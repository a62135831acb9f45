"""``graphldp collect invite``: tokens for slots, as links, QR codes and files to hand to their users."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.collect.store import actor, communities, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import check_folder
from graphldp.errors import ParameterError, bad_parameter
from graphldp.files.whole import write_new

if TYPE_CHECKING:
    from graphldp.collector.actions.inviting import Invited


app = typer.Typer()


@app.command(
    epilog="""Examples:
graphldp collect invite cats --server https://reports.example.org --out invitations
graphldp collect invite cats --user 0-3,7 --server https://reports.example.org --out again
"""
)
def invite(
    server: Annotated[str, typer.Option(help="The collector's public address, as clients reach it.", metavar="URL")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder for the invitations.", metavar="FOLDER")],
    ids: Annotated[
        list[str] | None,
        typer.Argument(help="Which; all open ones by default.", metavar="[COMMUNITY]...", autocompletion=communities),
    ] = None,
    users: Annotated[
        str | None,
        typer.Option("--user", help="Only these slots, as 12 or 0-3,7. Their old invitations end.", metavar="SLOTS"),
    ] = None,
    page: Annotated[
        str | None, typer.Option(help="The page for members, if another server hosts it.", metavar="URL")
    ] = None,
    expires: Annotated[
        float | None, typer.Option(help="Days after which an unused invitation stops working.", metavar="DAYS")
    ] = None,
    qr: Annotated[bool, typer.Option("--qr", help="Write each link as a QR code too: FOLDER/12.svg.")] = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write an invitation for every user who has none, or a new one for users that you name.

    FOLDER/index.csv has a line for each user with her link, for a mail merge. She opens it in a browser and takes part
    there. FOLDER/12.json is the same invitation for the program of the user in slot 12. Several communities have a
    folder each, and FOLDER/index.csv is of all. Nothing is overwritten: use a new folder each time. Invitations are
    secret: whoever holds one can report in that user's place, once. The collector keeps their hashes only.
    """
    from graphldp.collector.actions.inviting import invite as send_out
    from graphldp.collector.actions.inviting import mail_merge, parse_slots, svg

    check_folder(out, "collect invite")
    store = open_database(database)
    chosen = ids or [each.id for each in store.communities() if each.closed_at is None]
    if users is not None and len(chosen) != 1:
        raise bad_parameter("user", "graphldp collect invite", "given together with one community", users)
    many, rows, merged = len(chosen) > 1, [], ""
    if many and (out / "index.csv").exists():
        raise ParameterError(_TAKEN.format(out / "index.csv"))
    slots = None if users is None else parse_slots(users, store.community(chosen[0]).n)
    for id in chosen:
        folder = out / id if many else out
        written: list[Path] = []
        index: list[str] = []

        def hand_over(invited: Sequence[Invited], to: Path, kept: list[Path], table: list[str]) -> None:
            files = {f"{each.user}.json": each.invitation.to_json() for each in invited}
            files |= {f"{each.user}.svg": svg(each.link) for each in invited if qr}
            files["index.csv"] = mail_merge(invited, files=True)
            kept.extend(write_new(to, files))
            table.append(files["index.csv"])

        try:
            made = send_out(
                *(store, actor(), id),
                server=server,
                users=slots,
                page=page,
                days=expires,
                hand_over=partial(hand_over, to=folder, kept=written, table=index),
            )
        except BaseException as error:
            for file in written:
                file.unlink(missing_ok=True)
            if isinstance(error, FileExistsError):
                raise ParameterError(_TAKEN.format(error.filename)) from None
            raise
        merged += "".join(_of_community(id, table, header=not merged) for table in index)
        rows.append({"community": id, "invited": len(made), "folder": str(folder)})
    if many:
        write_new(out, {"index.csv": merged})
        console.show(rows, as_json=as_json)
    elif rows:
        console.show_one(rows[0], as_json=as_json)


def _of_community(id: str, table: str, *, header: bool) -> str:
    """An index whose lines say first of which community they are."""
    first, *lines = table.splitlines(keepends=True)
    return "".join([f"community,{first}"] * header + [f"{id},{line}" for line in lines])


_TAKEN = "{} is there already. Give another folder; nobody was invited."
