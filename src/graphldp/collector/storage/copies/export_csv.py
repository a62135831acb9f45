"""Reports as CSV, for spreadsheets and other languages: one row for each report that is held, and nobody's name."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from graphldp import wire
from graphldp.collector.communities.community import Community
from graphldp.collector.spreadsheets import as_text
from graphldp.collector.storage.store import Store

COLUMNS = ("community", "epoch", "label", "slot", "epsilon1", "epsilon2", "noisy_degree", "friends", "counts", "asked")


def csv_rows(store: Store, communities: Sequence[Community], classes: Mapping[int, str]) -> Iterator[str]:
    """The lines, one at a time: a header, then report after report.

    ``friends`` are the slots that a report names, with spaces between them, and ``counts`` those of friends by group.
    An ε of a public list is ``inf``.

    Args:
        store: where the reports are.
        communities: of which.
        classes: what labels are called.
    """
    line = io.StringIO(newline="")
    writer = csv.writer(line)

    def written(cells: Sequence[object]) -> str:
        line.seek(0)
        line.truncate()
        writer.writerow(cells)
        return line.getvalue()

    yield written(COLUMNS)
    for community in communities:
        label = None if community.label is None else as_text(classes.get(community.label, str(community.label)))
        for stored in store.stored(community):
            report = wire.decode(stored.body, n=community.n)
            listed = " ".join(map(str, report.neighbours.tolist()))
            counts = "" if report.counts is None else " ".join(map(str, report.counts))
            about = (community.id, community.epoch, label, stored.user, report.epsilon1, report.epsilon2)
            yield written((*about, report.noisy_degree, listed, counts, "yes" if report.asked else ""))
