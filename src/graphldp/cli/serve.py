"""``graphldp serve``: run the collector."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.shared import console

app = typer.Typer()
EPILOG = """Examples:
graphldp serve --port 8470 --database sqlite:///collector.db
graphldp serve --database postgresql://graphldp@localhost/graphldp --set address_per_minute=0
"""

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        help="sqlite:///file.db or postgresql://user@host/name; by default $GRAPHLDP_DATABASE, then a file of yours.",
        metavar="URL",
    ),
]


@app.command(epilog=EPILOG)
def serve(
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="The address to listen on; loopback by default.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="PORT", help="The port; 8470 by default, 0 takes a free one.")
    ] = None,
    database: DatabaseOption = None,
    pairs: Annotated[
        list[str] | None, typer.Option("--set", help="Any other setting; may be repeated.", metavar="NAME=VALUE")
    ] = None,
    show_settings: Annotated[
        bool, typer.Option("--settings", help="List all settings with their values, and end.")
    ] = False,
    as_json: console.JsonOption = False,
) -> None:
    """Run the collector: take one noisy report from each user, once, and keep it.

    Every setting is also an environment variable: GRAPHLDP_PORT, GRAPHLDP_DATABASE and so on.
    """
    from graphldp.collector import settings as table
    from graphldp.collector.server import serve as run

    given = table.parse_pairs(pairs or [])
    named = {"host": host, "port": None if port is None else str(port), "database": database}
    settings = table.load_settings(given | {name: text for name, text in named.items() if text is not None})
    if show_settings:
        from graphldp.collector.storage.database import shown_url

        values = vars(settings) | {"database": shown_url(settings.database)}
        values["oidc_client_secret"] = settings.oidc_client_secret and "***"
        rows = [
            {"setting": each.name, "value": values[each.name], "variable": each.variable, "help": each.help}
            for each in table.TABLE
        ]
        console.show(rows, as_json=as_json)
        return
    run(settings)
