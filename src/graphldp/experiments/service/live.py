"""The live system on one machine: a collector and many clients, from invitations to labels.

Nothing is simulated but the people: the collector is a process of its own, every client has its own vault and draws
with the operating system's entropy, and reports travel over HTTP on loopback.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphldp.errors import MissingExtraError, StoreError
from graphldp.machines import lifeline
from graphldp.wire import Invitation

if TYPE_CHECKING:
    from graphldp.collector.community import Community
    from graphldp.collector.storage.operating.results import Prediction, Run
    from graphldp.collector.storage.store import Store
    from graphldp.graphs import GraphSet

# Every client's process imports this module: what only the operator needs is imported where it is used.

USERS = 5000
SIZE = 64  # users in a community: so many sums of noisy degrees tell the two kinds apart
FEWEST_COMMUNITIES = 28  # the tenth of the labelled ones that is held out needs one of either kind
FEWEST = 10 * FEWEST_COMMUNITIES  # users; no thread is smaller
EPSILON = 1.0
LABELLED = 2 / 3  # of the communities
DRAWS = 5  # simulations beside the live run
SILENT = 0.05  # of the users
SHOW_ALL = ("--set", "min_reports=1")  # communities this small would show nothing; nobody in them is real
KINDS = ("hub and spoke", "reply tree")


@dataclass(frozen=True)
class Person:
    """A user: her vault, her invitation, and whether she ever reports. Her list lies in the vault's folder."""

    home: Path
    invitation: str
    reports: bool


def communities(users: int) -> GraphSet:
    """Threads of nearly one size, so that it tells nothing; as many of one kind as of the other, in turn."""
    from graphldp.datasets import synthetic

    graphs = synthetic.threads(num_graphs=6000, seed=0)
    each = max(FEWEST_COMMUNITIES, round(users / SIZE)) // 2
    off = np.abs(np.log(graphs.sizes * (2 * each) / users))
    of_kind = [np.arange(kind, graphs.num_graphs, 2) for kind in (0, 1)]
    kinds = [ids[np.argsort(off[ids], kind="stable")[:each]] for ids in of_kind]
    return graphs[np.stack(kinds, axis=1).ravel()]


def names_of(graphs: GraphSet) -> list[str]:
    """The communities' ids."""
    return [f"thread-{place + 1:02}" for place in range(graphs.num_graphs)]


def truth_of(graphs: GraphSet) -> list[int]:
    """The communities' true kinds."""
    return [] if graphs.labels is None else graphs.labels.tolist()


def labelled_of(graphs: GraphSet) -> int:
    """How many of them have a label, the first ones; the others are held out."""
    return round(LABELLED * graphs.num_graphs)


@contextmanager
def collector(database: str, log: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``graphldp serve`` on a free port of loopback, and its end."""
    start = "from graphldp.cli import main; from graphldp.machines import lifeline; lifeline.end_with_input(); main()"
    serve = [sys.executable, "-c", start, "serve", "--host", "127.0.0.1"]
    # all clients have one address here, which users of a network do not
    serve += ["--port", "0", "--database", database, "--set", "address_per_minute=0", *SHOW_ALL]
    with log.open("w", encoding="utf-8") as file:
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


def invite(store: Store, graphs: GraphSet, address: str, folder: Path) -> list[Person]:
    """Open the communities, and give everyone an invitation and a file with her friends."""
    from graphldp.collector.offers import Split, offers

    rng, people = np.random.default_rng(0), []
    truth, labelled = truth_of(graphs), labelled_of(graphs)
    for number, name in enumerate(KINDS):
        store.classes.name(number, name)
    for place, id in enumerate(names_of(graphs)):
        start, n = int(graphs.graph_ptr[place]), int(graphs.sizes[place])
        roster = [f"user{number}" for number in range(n)]
        mechanism, choices = offers([EPSILON], None, n, Split())
        label = truth[place] if place < labelled else None
        store.open_community(id, roster, mechanism=mechanism, choices=choices, label=label)
        for user, token in store.invite(id).items():
            home = folder / "clients" / id / str(user)
            home.mkdir(parents=True, mode=0o700)
            friends = graphs.indices[graphs.indptr[start + user] : graphs.indptr[start + user + 1]]
            (home / "friends.txt").write_text("".join(f"{roster[friend]}\n" for friend in friends))
            invitation = Invitation(address, id, token).to_json()
            people.append(Person(home, invitation, bool(rng.random() >= SILENT)))
    return people


def report(people: Sequence[Person], on_done: Callable[[], None]) -> None:
    """Let everyone join and report, a few at a time, in processes of their own.

    Args:
        people: who.
        on_done: called after each of them.
    """
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max(2, min(8, os.cpu_count() or 2)), fresh, ignore_interrupts) as clients:
        waiting = [clients.submit(_take_part, person) for person in people]
        try:
            for done in as_completed(waiting):
                done.result()
                on_done()
        except BaseException:
            clients.shutdown(cancel_futures=True)
            raise


def ignore_interrupts() -> None:
    """Leave Ctrl-C, which reaches every process of a terminal, to the demo: it ends its clients, with itself if not."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lifeline.end_with_parent()


def _take_part(person: Person) -> None:
    """The part of one user: join and report."""
    try:
        from graphldp.client.protocol import Client
        from graphldp.wire import to_millionths
    except ModuleNotFoundError:
        raise MissingExtraError("graphldp demo --live", "client") from None
    client, invitation = Client(person.home, tick=0.0), Invitation.from_json(person.invitation)
    client.join(invitation, accept=to_millionths(EPSILON))
    if person.reports:
        client.report(invitation.community, friends_file=person.home / "friends.txt")


def learn(store: Store, folder: Path) -> tuple[Run, list[tuple[Community, Prediction]]]:
    """Export, train and label, as the operator does; gives what was trained, and the labels."""
    from graphldp.collector.storage.copies.export import export
    from graphldp.experiments.service.collected import label_collected, train_collected
    from graphldp.experiments.service.gathering import Course

    found = store.communities()
    export(store, found).save(folder / "reports.npz")
    model = folder / "model.npz"
    course = Course(device="cpu")
    trained = train_collected(
        store, found, model, folder / "results.sqlite", recommended=True, min_reports=1, course=course
    )
    unlabelled = [each for each in found if each.label is None]
    return trained, label_collected(store, unlabelled, model, min_reports=1, course=course)


def simulate(graphs: GraphSet, people: Sequence[Person], draws: int) -> list[float]:
    """Simulate the run without devices: the accuracy on held-out communities, for each of some draws of the noise.

    The graphs, who stays silent, which communities have a label, and the code that labels the others are those of the
    live run. Only the reports are drawn by the lab's mechanism.
    """
    from graphldp.learn.recipe import recommended
    from graphldp.learn.tables.profile_classifier import ProfileClassifier
    from graphldp.threats.treatments import treat

    silent, labelled = np.array([not person.reports for person in people]), labelled_of(graphs)
    mechanism, held_out = recommended(EPSILON).mechanism, np.arange(labelled, graphs.num_graphs)
    found = []
    for seed in range(draws):
        reports = treat(mechanism.randomize(graphs, rng=seed), silent, "remove")
        classifier = ProfileClassifier(seed=0).fit(reports.subset(np.arange(labelled)))
        found.append(classifier.score(reports.subset(held_out), np.array(truth_of(graphs))[held_out]))
    return found
