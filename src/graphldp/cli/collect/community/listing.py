"""``graphldp collect community list``: every community, and how far it is."""

from __future__ import annotations

from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect community list --json"


def list_(database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """List communities: how many of their users were invited and have reported, and their labels.

    The JSON also holds each roster's digest, which 'graphldp collect community show' prints.
    """
    store = open_database(database)
    from graphldp.collector.disclosure import enough
    from graphldp.collector.settings import load_settings

    progress, predictions, least = store.progress(), store.results.predictions(), load_settings().min_reports
    rows = []
    for each in store.communities():
        invited, reported, deleted = progress.get(each.key, (0, 0, 0))
        predicted = predictions.get(each.key)
        if predicted is not None and not enough(predicted.reported, least):
            predicted = None
        digest = {"roster_digest": each.roster_digest} if as_json else {}
        rows.append(
            {
                "community": each.id,
                "epoch": each.epoch,
                "open": each.closed_at is None,
                "users": each.n,
                "invited": invited,
                "reported": reported,
                "deleted": deleted,
                "label": each.label,
                "predicted": predicted.label if predicted else None,
                "confidence": predicted.confidence if predicted else None,
                "withstands": predicted.certified if predicted else None,
            }
            | digest
        )
    console.show(rows, as_json=as_json)
