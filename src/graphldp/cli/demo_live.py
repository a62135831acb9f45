"""``graphldp demo --live``: a collector and some thousand clients on this machine, from invitations to labels."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import Progress

from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.experiments.service.labelling import Recipient
    from graphldp.experiments.service.live import Person


def run(out: Path, *, users: int | None = None, keep: bool, as_json: bool = False) -> None:
    """Start a collector and clients, collect, train, label, and show how many labels are right.

    Args:
        out: everything is written to a new folder in here.
        users: about how many; ``live.USERS`` by default.
        keep: leave the dashboard running until Ctrl-C.
        as_json: JSON instead of a table.
    """
    from graphldp.cli.shared.source import need_learn

    need_learn("demo --live")
    from graphldp.cli.collect.store import open_database
    from graphldp.experiments.service import live

    users = live.USERS if users is None else users
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
            note(f"Trained on {trained.communities} communities, as 'graphldp collect train --defense none' does.")
            if trained.validation is not None and trained.interval is not None:
                low, high = trained.interval
                held_out = f"{trained.validation:.0%} of {trained.held_out} communities that were held out"
                note(f"It labels {held_out} rightly; so few leave it open between {low:.0%} and {high:.0%}.")
            note(f"Simulating the same {live.DRAWS} times, to compare …")
            simulated = live.simulate(graphs, people, live.DRAWS)
            rows = _rows(labels, dict(zip(live.names_of(graphs), live.truth_of(graphs), strict=True)))
            place = _Place(address if keep else "http://127.0.0.1:8470", store.operators.add("demo"), database)
            _show(rows, simulated, store.communities()[0].mechanism, place, keep=keep, as_json=as_json)
            if keep:
                with suppress(KeyboardInterrupt):
                    process.wait()
    finally:
        store.close()


def _watch(people: Sequence[Person]) -> None:
    """Let everyone report, behind a bar."""
    from graphldp.experiments.service.live import report

    with Progress(console=console.err, disable=not console.err.is_terminal) as progress:
        line = progress.add_task("Clients join and report", total=len(people))
        report(people, lambda: progress.advance(line))
    heard = sum(person.reports for person in people)
    console.err.print(f"{len(people):,} clients joined, {heard:,} reported; the others never will, as in life.")


def _rows(labels: Sequence[Recipient], truth: Mapping[str, int]) -> list[dict[str, Any]]:
    from graphldp.experiments.service.live import KINDS

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


@dataclass(frozen=True)
class _Place:
    """Where the dashboard is, and what opens it."""

    address: str
    key: str
    database: str

    @property
    def dashboard(self) -> str:
        return f"{self.address}/dashboard"


def _show(
    rows: list[dict[str, Any]], simulated: list[float], mechanism: str, place: _Place, *, keep: bool, as_json: bool
) -> None:
    from graphldp.experiments.service.live import EPSILON, SHOW_ALL
    from graphldp.intervals import share_bounds

    right = sum(row["predicted"] == row["truth"] for row in rows)
    low, high = (float(end) for end in share_bounds(right, len(rows)))
    accuracy = {"right": right, "accuracy": right / len(rows), "low": low, "high": high, "simulated": simulated}
    if as_json:
        made = {"mechanism": mechanism, "epsilon": EPSILON, "labels": rows}
        console.show_json(
            made | accuracy | {"dashboard": place.dashboard, "key": place.key, "database": place.database}
        )
        return
    console.show(rows, as_json=False, title=f"Labels of held-out communities, reports by {mechanism}, ε = {EPSILON:g}")
    mean = sum(simulated) / len(simulated)
    said = (
        f"Live: {right} of {len(rows)} are right, {right / len(rows):.2f} ({low:.2f} to {high:.2f} at 95 %); a coin "
        f"would get half.\nSimulated on the same communities, {len(simulated)} draws of the noise: {mean:.2f} on "
        f"average ({min(simulated):.2f} to {max(simulated):.2f}).\n"
        + ("The two agree within the interval.\n\n" if low <= mean <= high else "The two do not agree.\n\n")
    )
    if keep:
        said += f"The dashboard: {place.dashboard}\nThe operator's key, to log in: {place.key}\nCtrl-C ends it."
    else:
        serve = f"graphldp serve --port 8470 --database {place.database} {' '.join(SHOW_ALL)}"
        said += f"The dashboard has ended (--keep leaves it on). To look at it:\n{serve}\n"
        said += f"and open {place.dashboard} with the operator's key {place.key}"
    console.out.print(said, highlight=False, markup=False, soft_wrap=True)
