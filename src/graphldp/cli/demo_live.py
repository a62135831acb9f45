"""``graphldp demo --live``: a collector and a thousand clients on this machine, from invitations to labels."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import Progress

from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.experiments.collected import Recipient
    from graphldp.experiments.live import Person


def run(out: Path, *, users: int = 1000, keep: bool, as_json: bool = False) -> None:
    """Start a collector and clients, collect, train, label, and show the labels.

    Args:
        out: everything is written to a new folder in here.
        users: about how many.
        keep: leave the dashboard running until Ctrl-C.
        as_json: JSON instead of a table.
    """
    from graphldp.cli.shared.source import need_learn

    need_learn("demo --live")
    from graphldp.cli.collect.store import open_database
    from graphldp.experiments import live

    if users < live.FEWEST:
        raise bad_parameter("users", "the live demo", f"{live.FEWEST} or more", users)
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="live-", dir=out)).resolve()
    database = f"sqlite:///{folder / 'collector.db'}"
    graphs, note = live.communities(users), console.err.print
    store = open_database(database, make=True)
    try:
        with live.collector(database, folder / "collector.log") as (address, process):
            note(f"A collector listens on {address}. {graphs.num_graphs} communities, {graphs.num_users:,} users.")
            people = live.invite(store, graphs, address, folder)
            _watch(people)
            trained, labels = live.learn(store, folder)
            note(f"Trained on {trained.communities} labelled communities, {trained.settings['epochs']} epochs.")
            rows = _rows(labels, dict(zip(live.names_of(graphs), live.labels_of(graphs), strict=True)))
            key = store.operators.add("demo")
            _show(rows, address, key, database, keep=keep, as_json=as_json)
            if keep:
                with suppress(KeyboardInterrupt):
                    process.wait()
    finally:
        store.close()


def _watch(people: Sequence[Person]) -> None:
    """Let everyone report, behind a bar."""
    from graphldp.experiments.live import report

    with Progress(console=console.err, disable=not console.err.is_terminal) as progress:
        line = progress.add_task("Clients join and report", total=len(people))
        report(people, lambda: progress.advance(line))
    heard = sum(person.reports for person in people)
    console.err.print(f"{len(people):,} clients joined, {heard:,} reported; the others never will, as in life.")


def _rows(labels: Sequence[Recipient], truth: Mapping[str, int]) -> list[dict[str, Any]]:
    from graphldp.experiments.live import KINDS

    return [
        {
            "community": each.community.id,
            "predicted": KINDS[each.prediction.label],
            "confidence": each.prediction.confidence,
            "reported": f"{each.prediction.reported} of {each.community.n}",
            "truth": KINDS[truth[each.community.id]],
        }
        for each in labels
    ]


def _show(rows: list[dict[str, Any]], address: str, key: str, database: str, *, keep: bool, as_json: bool) -> None:
    from graphldp.experiments.live import EPSILON1, EPSILON2, SHOW_ALL

    right = sum(row["predicted"] == row["truth"] for row in rows)
    dashboard = f"{address if keep else 'http://127.0.0.1:8470'}/dashboard"
    serve = f"graphldp serve --port 8470 --database {database} {' '.join(SHOW_ALL)}"
    if as_json:
        found = {"labels": rows, "right": right, "dashboard": dashboard, "key": key, "database": database}
        console.show_json(found)
        return
    console.show(rows, as_json=False, title=f"Labels from DPRR reports, ε = {EPSILON1:g} + {EPSILON2:g}")
    said = (
        f"{right} of {len(rows)} are right; a coin would get half. This shows the system at work, not how accurate\n"
        "it is: so few and small communities teach little, and their sizes, which are public, tell part of it.\n\n"
    )
    if keep:
        said += f"The dashboard: {dashboard}\nThe operator's key, to log in: {key}\nCtrl-C ends it."
    else:
        said += f"The dashboard has ended (--keep leaves it on). To look at it:\n{serve}\n"
        said += f"and open {dashboard} with the operator's key {key}"
    console.out.print(said, highlight=False, markup=False, soft_wrap=True)
