"""``graphldp client verify-web``: is a server's page the one of this version?"""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.shared import console

EPILOG = "Example: graphldp client verify-web https://reports.example.org"


def verify_web(
    url: Annotated[str, typer.Argument(help="The server's address, or that of its page.", metavar="URL")],
    as_json: console.JsonOption = False,
) -> None:
    """Compare a server's page for members with the one of this version, file by file. Exit code 1 where they differ.

    It says what this machine was given now. A server can give other people another page, or another one tomorrow.
    """
    from graphldp.client.sending.page import verify_page
    from graphldp.wire import spoken

    check = verify_page(url)
    rows = [{"file": each.file, "same": each.same, "found": each.found} for each in check.files]
    if as_json:
        console.show_json({"digest": check.digest, "same": check.same, "files": rows})
    else:
        console.show(rows, as_json=False)
        verdict = "The server has this version's page." if check.same else "The server has another page."
        console.out.print(f"{verdict} Bundle digest of this version: {spoken(check.digest)}", soft_wrap=True)
    if not check.same:
        raise typer.Exit(1)
