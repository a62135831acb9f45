"""``graphldp collect class list``: the classes, and how many communities have them."""

from __future__ import annotations

from graphldp.cli.collect.store import open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp collect class list"


def list_(database: DatabaseOption = None, as_json: console.JsonOption = False) -> None:
    """List the classes by number, with their names and how many communities are labelled so."""
    from graphldp.collector.storage.collecting.listing import class_sizes

    store = open_database(database)
    names, counts = store.classes.names(), class_sizes(store)
    rows = [
        {"class": number, "name": names.get(number), "communities": counts.get(number, 0)}
        for number in sorted(names | counts)
    ]
    console.show(rows, as_json=as_json)
