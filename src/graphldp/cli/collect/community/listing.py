"""``graphldp collect community list``: every community, and how far it is."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community list --json"


def list_(
    search: Annotated[str, typer.Option(help="Only communities whose name or id contains this.", metavar="TEXT")] = "",
    state: Annotated[str, typer.Option(help="all, open, closed, labelled or unlabelled.")] = "all",
    sort: Annotated[
        str, typer.Option(help="By oldest, newest, name, largest, smallest, most-reported or least-reported.")
    ] = "oldest",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """List communities: how many of their users were invited and have reported, and their labels.

    The JSON also holds each roster's digest, which 'graphldp collect community show' prints.
    """
    store = open_database(database)
    from graphldp.collector.communities.disclosure import enough
    from graphldp.collector.settings import load_settings
    from graphldp.collector.storage.collecting.listing import Wanted, list_communities

    least, classes = load_settings().min_reports, store.classes.names()
    rows = []

    def named(label: int | None) -> int | str | None:
        return label if as_json or label is None else classes.get(label, str(label))

    for line in list_communities(store, Wanted(search, state, sort), per_page=None).lines:
        each, predicted = line.community, line.prediction
        if predicted is not None and not enough(predicted.reported, least):
            predicted = None
        digest = {"roster_digest": each.roster_digest} if as_json else {}
        rows.append(
            {
                "community": each.id,
                "epoch": each.epoch,
                "open": each.closed_at is None,
                "users": each.n,
                "invited": line.invited,
                "reported": line.reported,
                "deleted": line.deleted,
                "label": named(each.label),
                "predicted": named(predicted.label if predicted else None),
                "confidence": predicted.confidence if predicted else None,
                "withstands": predicted.certified if predicted else None,
            }
            | digest
        )
    console.show(rows, as_json=as_json)
