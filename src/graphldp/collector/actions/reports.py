"""Actions on reports: take them out, or delete some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graphldp.collector.community import MIN_REPORTS, Community
from graphldp.collector.roles import Actor, Role, acting
from graphldp.collector.storage.copies.export import csv_rows
from graphldp.collector.storage.copies.export import export as gather
from graphldp.collector.storage.copies.export_parquet import write_parquet
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError, bad_parameter
from graphldp.files.whole import written_whole

FORMATS = ("csv", "npz", "parquet")


@dataclass(frozen=True)
class Exported:
    """Counts of what a file of reports holds. Communities with too few reports are left out of it."""

    communities: int
    users: int
    reported: int
    labelled: int
    left_out: int = 0


def chosen(store: Store, ids: Sequence[str] | None) -> list[Community]:
    """Communities by id, or all."""
    found = [store.community(id) for id in ids] if ids else store.communities()
    if not found:
        raise ParameterError("There is no community yet: 'graphldp collect community create' opens one.")
    return found


@acting("reports.export", Role.OPERATOR)
def export(
    store: Store,
    actor: Actor,
    ids: str | Sequence[str] | None,
    file: Path,
    *,
    labelled: bool = False,
    min_reports: int = MIN_REPORTS,
) -> Exported:
    """Write the reports of communities to a file, which is whole or not there. Its name's ending says the format.

    Args:
        store: where they are.
        actor: who acts.
        ids: of which community or communities; of all where there are none.
        file: ``.npz`` for Python, with everyone marked who has not reported; ``.csv`` with a row for each report;
            ``.parquet`` with a row for each user, written some communities at a time.
        labelled: leave out communities that have no label.
        min_reports: leave out communities that hold fewer reports.
    """
    form = file.suffix.removeprefix(".")
    if form not in FORMATS:
        endings = ", ".join(f".{each}" for each in FORMATS[:-1]) + f" or .{FORMATS[-1]}"
        raise bad_parameter("FILE", "export", f"a file that ends in {endings}", str(file))
    asked = [
        each for each in chosen(store, [ids] if isinstance(ids, str) else ids) if not labelled or each.label is not None
    ]
    if not asked:
        raise ParameterError(
            "The class of no community is known yet: 'graphldp collect community change --class' says it."
        )
    wanted = store.tally.released(asked, min_reports)
    if not wanted:
        raise ParameterError(f"No community among them holds {min_reports} reports (the setting 'min_reports').")
    left_out = len(asked) - len(wanted)
    users, known = sum(each.n for each in wanted), sum(each.label is not None for each in wanted)
    if form == "npz":
        reports = gather(store, wanted)
        reports.save(file)
        absent = 0 if reports.missing is None else int(reports.missing.sum())
        return Exported(len(wanted), users, users - absent, known, left_out)
    if form == "parquet":
        return Exported(len(wanted), users, write_parquet(store, wanted, file), known, left_out)
    rows = -1  # the header
    with written_whole(file) as out:
        for line in csv_rows(store, wanted, store.classes.names()):
            out.write(line.encode())
            rows += 1
    return Exported(len(wanted), users, rows, known, left_out)


@acting("reports.delete", Role.OPERATOR)
def delete_report(store: Store, actor: Actor, id: str, user: int, epoch: int | None = None) -> list[int]:
    """Delete a user's reports for good; gives the epochs that had one. Her slots stay taken."""
    return store.holdings.delete(id, user, epoch)
