"""``graphldp demo --live``: a collector and a thousand clients on this machine, from invitations to labels.

Nothing is simulated but the people: the collector is a process of its own, every client has its own vault and draws
with the operating system's entropy, and reports travel over HTTP on loopback. The operator's part runs through the
functions behind ``graphldp collect``.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import Progress

from graphldp.cli.shared import console
from graphldp.errors import MissingExtraError, StoreError, bad_parameter
from graphldp.machines import lifeline

if TYPE_CHECKING:
    from graphldp.collector.storage.store import Store
    from graphldp.graphs import GraphSet

SIZE = 25  # users in a community: many small ones teach more than a few large ones
FEWEST_COMMUNITIES = 24  # the tenth of the labelled ones that is held out needs one of either kind
FEWEST = 10 * FEWEST_COMMUNITIES  # users; no thread is smaller
EPSILON1, EPSILON2 = 2.0, 2.0  # so few users with so few friends need a degree that is little off
LABELLED = 0.75  # of the communities
SILENT = 0.05  # of the users
SHOW_ALL = ("--set", "min_reports=1")  # communities this small would show nothing; nobody in them is real
KINDS = ("hub and spoke", "reply tree")


@dataclass(frozen=True)
class Person:
    """One user: her vault, her invitation, and whether she ever reports. Her list lies in the vault's folder."""

    home: Path
    invitation: str
    reports: bool


def run(out: Path, *, users: int = 1000, keep: bool, as_json: bool = False) -> None:
    """Start a collector and clients, collect, train, label, and show the labels.

    Args:
        out: everything is written to a new folder in here.
        users: about how many.
        keep: leave the dashboard running until Ctrl-C.
        as_json: JSON instead of a table.
    """
    if users < FEWEST:
        raise bad_parameter("users", "the live demo", f"{FEWEST} or more", users)
    from graphldp.cli.collect.store import open_database
    from graphldp.cli.shared.source import need_learn

    need_learn("demo --live")
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="live-", dir=out)).resolve()
    database = f"sqlite:///{folder / 'collector.db'}"
    graphs, note = _communities(users), console.err.print
    store = open_database(database, make=True)
    try:
        with _collector(database, folder / "collector.log") as (address, process):
            note(f"A collector listens on {address}. {graphs.num_graphs} communities, {graphs.num_users:,} users.")
            people = _invite(store, graphs, address, folder)
            _report(people)
            truth = dict(zip(_names(graphs), _labels(graphs), strict=True))
            rows = _learn(store, folder, truth)
            key = store.operators.add("demo")
            _show(rows, address, key, database, keep=keep, as_json=as_json)
            if keep:
                with suppress(KeyboardInterrupt):
                    process.wait()
    finally:
        store.close()


def _communities(users: int) -> GraphSet:
    """Threads of about one size, as many of one kind as of the other, in turn."""
    import numpy as np

    from graphldp.datasets import synthetic

    graphs = synthetic.threads(num_graphs=6000, seed=0)
    each = max(FEWEST_COMMUNITIES, round(users / SIZE)) // 2
    shares = graphs.sizes * (2 * each) / users
    suitable = np.flatnonzero((shares > 0.6) & (shares < 1.45))
    kinds = [suitable[suitable % 2 == kind][:each] for kind in (0, 1)]
    return graphs[np.stack(kinds, axis=1).ravel()]


def _names(graphs: GraphSet) -> list[str]:
    return [f"thread-{place + 1:02}" for place in range(graphs.num_graphs)]


def _labels(graphs: GraphSet) -> list[int]:
    return [] if graphs.labels is None else graphs.labels.tolist()


@contextmanager
def _collector(database: str, log: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``graphldp serve`` on a free port of loopback, and its end."""
    start = "from graphldp.cli import main; from graphldp.machines import lifeline; lifeline.end_with_input(); main()"
    serve = [sys.executable, "-c", start, "serve", "--host", "127.0.0.1"]
    # all clients have one address here, which no crowd of users has
    serve += ["--port", "0", "--database", database, "--set", "address_per_minute=0", *SHOW_ALL]
    with log.open("w") as file:
        # a session of its own: Ctrl-C is for the demo, which ends its clients first and then the collector
        process = subprocess.Popen(  # noqa: S603 - this package's own command
            serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, text=True, start_new_session=True
        )
    try:
        line = process.stdout.readline() if process.stdout else ""
        if "listening on" not in line:
            raise StoreError(f"The collector did not start; {log} says why.")
        yield line.split()[-1], process
    finally:
        process.terminate()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()


def _invite(store: Store, graphs: GraphSet, address: str, folder: Path) -> list[Person]:
    """Open the communities, and give everyone an invitation and a file with her friends."""
    import numpy as np

    from graphldp.wire import Choice, Invitation

    rng, people = np.random.default_rng(0), []
    labels = _labels(graphs)
    labelled = round(LABELLED * graphs.num_graphs)
    choice = Choice("demo", EPSILON1, EPSILON2)
    for place, id in enumerate(_names(graphs)):
        start, n = int(graphs.graph_ptr[place]), int(graphs.sizes[place])
        roster = [f"user{number}" for number in range(n)]
        label = labels[place] if place < labelled else None
        store.open_community(id, roster, mechanism="dprr", choices=[choice], label=label)
        for user, token in store.invite(id).items():
            home = folder / "clients" / id / str(user)
            home.mkdir(parents=True, mode=0o700)
            friends = graphs.indices[graphs.indptr[start + user] : graphs.indptr[start + user + 1]]
            (home / "friends.txt").write_text("".join(f"{roster[friend]}\n" for friend in friends))
            invitation = Invitation(address, id, token).to_json()
            people.append(Person(home, invitation, bool(rng.random() >= SILENT)))
    return people


def _report(people: list[Person]) -> None:
    """Let everyone join and report, a few at a time, in processes of their own."""
    fresh = multiprocessing.get_context("spawn")
    with (
        Progress(console=console.err, disable=not console.err.is_terminal) as progress,
        ProcessPoolExecutor(max(2, min(8, os.cpu_count() or 2)), fresh, _deaf) as clients,
    ):
        line = progress.add_task("Clients join and report", total=len(people))
        waiting = [clients.submit(_take_part, person) for person in people]
        try:
            for done in as_completed(waiting):
                done.result()
                progress.advance(line)
        except BaseException:
            clients.shutdown(cancel_futures=True)
            raise
    heard = sum(person.reports for person in people)
    console.err.print(f"{len(people):,} clients joined, {heard:,} reported; the others never will, as in life.")


def _deaf() -> None:
    """Ctrl-C reaches every process of a terminal; the demo itself tells its clients to end, by its death if need be."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lifeline.end_with_parent()


def _take_part(person: Person) -> None:
    """What one user does."""
    try:
        from graphldp.client.protocol import Client
        from graphldp.wire import Invitation, to_millionths
    except ModuleNotFoundError:
        raise MissingExtraError("graphldp demo --live", "client") from None
    client, invitation = Client(person.home, tick=0.0), Invitation.from_json(person.invitation)
    client.join(invitation, accept=to_millionths(EPSILON1) + to_millionths(EPSILON2))
    if person.reports:
        client.report(invitation.community, friends_file=person.home / "friends.txt")


def _learn(store: Store, folder: Path, truth: dict[str, int]) -> list[dict[str, Any]]:
    """What the operator does: export, train, label."""
    from graphldp.collector.storage.export import export
    from graphldp.experiments.collected import label_collected, train_collected
    from graphldp.experiments.results import ResultsFile

    communities = store.communities()
    export(store, communities).save(folder / "reports.npz")
    model = folder / "model.npz"
    with ResultsFile(folder / "results.sqlite") as table:
        trained = train_collected(store, communities, model, table, device="cpu")
    console.err.print(f"Trained on {trained.communities} labelled communities, {trained.settings['epochs']} epochs.")
    unlabelled = [each for each in communities if each.label is None]
    return [
        {
            "community": each.community.id,
            "predicted": KINDS[each.prediction.label],
            "confidence": each.prediction.confidence,
            "reported": f"{each.prediction.reported} of {each.community.n}",
            "truth": KINDS[truth[each.community.id]],
        }
        for each in label_collected(store, unlabelled, model, device="cpu", min_reports=1)
    ]


def _show(rows: list[dict[str, Any]], address: str, key: str, database: str, *, keep: bool, as_json: bool) -> None:
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
