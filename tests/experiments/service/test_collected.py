"""What is learned from what was collected, against the same reports in the lab."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import update
from tests.collector.storage.test_clock import DAY, Machine

import graphldp as gl
from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.community import Community
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.accepting import Submission
from graphldp.collector.storage.collecting.retention import Retention
from graphldp.collector.storage.copies.export import export, export_in_batches
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.experiments.service.collected import label_collected, train_collected
from graphldp.experiments.service.gathering import Course, Watch, read_profiles
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.profiled import Profiled
from graphldp.wire import Answer, Choice

pytestmark = pytest.mark.usefixtures("few_trees")

LABELLED, SEED = 24, 3

NOBODY = """
import numpy as np
from graphldp.threats import Defense, Verdict

class Nobody(Defense):
    def judge(self, reports):
        return Verdict(np.zeros(reports.num_users), np.ones(reports.num_users))
"""


@pytest.fixture(scope="module")
def simulated() -> gl.Reports:
    """Both rounds in the lab, in threads that are large enough for hubs."""
    threads = gl.synthetic.threads(num_graphs=400, seed=0)
    large = np.flatnonzero((threads.sizes > 80) & (threads.sizes < 130))
    kinds = [large[np.asarray(threads.labels)[large] == kind][: LABELLED // 2 + 3] for kind in (0, 1)]
    chosen = threads[np.stack(kinds, axis=1).ravel()]
    return gl.HubCounts(1.0).randomize(chosen, rng=0)


@pytest.fixture
def store(simulated: gl.Reports, tmp_path: Path) -> Iterator[Store]:
    """The same reports and answers, as a collector holds them; the first communities have a label."""
    opened = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    for graph in range(len(simulated)):
        collect(opened, simulated, graph)
    yield opened
    opened.close()


def collect(store: Store, reports: gl.Reports, graph: int) -> None:
    """Let a community's users report, ask its hubs, and take their answers."""
    assert reports.noisy_degree is not None
    assert reports.answers is not None
    asked_again, busy_friends = reports.answers.asked, reports.answers.busy_friends
    assert reports.labels is not None
    n, start = int(reports.sizes[graph]), int(reports.graph_ptr[graph])
    id, nobody = f"thread-{graph}", np.zeros(0, np.int32)
    label = int(reports.labels[graph]) if graph < LABELLED else None
    roster = [f"user {user}" for user in range(n)]
    made = store.open_community(id, roster, mechanism="hub-counts", choices=[Choice("all", 1.0, 0.0)], label=label)
    sent = []
    for user, token in store.invite(id).items():
        degree, asked = int(reports.noisy_degree[start + user]), bool(asked_again[start + user])
        body = wire.encode(wire.Report("hub-counts", n, user, 1.0, 0.0, degree, nobody, asked))
        sent.append(Submission(made.key, user, tokens.hashed(token), body, degree))
    store.accept(sent)
    question = store.second_round.ask(id)
    for user in np.flatnonzero(asked_again[start : start + n]).tolist():
        answer = Answer(n, user, question.digest, int(busy_friends[start + user]))
        store.second_round.accept(id, user, 1, answer.encode())


class Held:
    """How many users' reports are in memory, and how many were at most."""

    def __init__(self) -> None:
        self.now = self.most = 0

    def batches(self, store: Store, communities: Sequence[Community], users: int) -> Iterator[gl.Reports]:
        """What the export yields, watched until it is let go of."""
        for reports in export_in_batches(store, communities, users):
            self.now += reports.num_users
            self.most = max(self.most, self.now)
            weakref.finalize(reports, self._let_go, reports.num_users)
            yield reports
            del reports

    def _let_go(self, users: int) -> None:
        self.now -= users


@pytest.mark.attack("learning")
def test_rows_read_in_a_stream_are_those_of_all_reports(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lie so that a filter flags other users, and a promised label changes.

    The same model and the same labels to the last bit, with no more than a few communities in memory.
    """
    held, communities = Held(), store.communities()
    monkeypatch.setattr("graphldp.experiments.service.gathering.export_in_batches", held.batches)
    seen: list[float] = []
    small = partial(read_profiles, users=300)
    course = Course(watch=lambda _doing, share: seen.append(share), read=small)
    whole, model = export(store, communities), tmp_path / "model.npz"
    train_collected(
        *(store, communities, model, tmp_path / "results.sqlite"),
        defense="recommended",
        recommended=True,
        seed=SEED,
        course=course,
    )
    unlabelled = [each for each in communities if each.label is None]
    found = [label for _, label in label_collected(store, unlabelled, model, min_reports=1, course=course)]
    assert held.now == 0
    assert 0 < held.most <= 300 < whole.num_users
    assert len(seen) > 8
    assert all(0 <= share <= 1 for share in seen)
    at_once = gl.RobustProfileClassifier(seed=SEED).fit(whole[whole.labelled])
    saved = gl.RobustProfileClassifier.load(model)
    for name in ("table_", "codes_"):
        np.testing.assert_array_equal(getattr(saved, name), getattr(at_once, name), err_msg=name)
    np.testing.assert_array_equal(saved.levelled_.present, at_once.levelled_.present)
    assert saved.provenance_["guarantee"] == at_once.provenance_["guarantee"]
    rest = whole[~whole.labelled]
    assert [each.label for each in found] == at_once.predict(rest).tolist()
    assert [each.confidence for each in found] == at_once.predict_proba(rest).max(axis=1).tolist()
    assert [each.certified for each in found] == at_once.withstood(rest).tolist()
    (tmp_path / "own.py").write_text(NOBODY)
    filtered = label_collected(store, unlabelled, model, defense=f"{tmp_path / 'own.py'}:Nobody", min_reports=1)
    assert {label.certified for _, label in filtered} == {None}  # one liar may change whom a filter flags


def test_reports_of_communities_that_nobody_trusts_are_not_read(
    simulated: gl.Reports, store: Store, tmp_path: Path
) -> None:
    """Neither to learn from nor to measure by: what they send cannot change anything."""
    read: list[Community] = []

    def reader(store: Store, communities: Sequence[Community], watch: Watch) -> Profiled:
        read.extend(communities)
        return read_profiles(store, communities, watch)

    trusted = [graph for graph in range(LABELLED) if graph not in (2, 5)]
    for graph in (*trusted, LABELLED):  # the last one has no label
        store.set_trusted(f"thread-{graph}", True)
    model, course = tmp_path / "model.npz", Course(read=reader)
    into = (model, tmp_path / "results.sqlite")
    run = train_collected(
        store, store.communities(), *into, recommended=True, seed=SEED, trusted_only=True, course=course
    )
    assert [each.id for each in read] == [f"thread-{graph}" for graph in trusted]
    assert (run.communities, run.settings["trusted_only"]) == (len(trusted), True)
    alone, saved = ProfileClassifier(seed=SEED).fit(simulated[np.array(trusted)]), ProfileClassifier.load(model)
    np.testing.assert_array_equal(saved.table_, alone.table_)


@pytest.mark.attack("learning")
def test_a_training_during_which_reports_are_due_keeps_nothing(store: Store, tmp_path: Path) -> None:
    """A training or a labelling that read reports before they were due, and ended after.

    Their members were promised that no model is kept, and it had read them before they went.
    """
    machine, table, model = Machine(store), schema.communities, tmp_path / "model.npz"
    machine.wall = datetime.now(UTC)
    store.retention = Retention(store.engine, machine.clock)
    with transaction(store.engine, writes=True) as connection:
        promised = update(table).where(table.c.id == "thread-0").values(retention_days=7, keeps_models=False)
        connection.execute(promised)

    def watch(doing: str, _share: float) -> None:
        if doing.startswith("fitting"):
            machine.run(9 * DAY)
            assert store.retention.sweep() > 80

    with pytest.raises(ParameterError, match="Train again"):
        train_collected(
            *(store, store.communities(), model, tmp_path / "results.sqlite"),
            recommended=True,
            course=Course(watch=watch),
        )
    assert (model.exists(), store.results.runs()) == (False, [])


def test_two_rounds_are_learned_from_as_in_the_lab(simulated: gl.Reports, store: Store, tmp_path: Path) -> None:
    """The same numbers reach the classifier, so the same labels and the same confidence come out."""
    found = export(store, store.communities())
    np.testing.assert_array_equal(found.noisy_degree, simulated.noisy_degree)
    for name in ("asked", "busy", "quiet_friends", "busy_friends"):
        np.testing.assert_array_equal(getattr(found.answers, name), getattr(simulated.answers, name), err_msg=name)
    assert found.origin.parameters.items() <= simulated.origin.parameters.items()
    assert found.answers is not None
    assert 0 < found.answers.asked.sum() < found.num_users / 10
    model = tmp_path / "model.npz"
    run = train_collected(store, store.communities(), model, tmp_path / "results.sqlite", recommended=True, seed=SEED)
    assert (run.communities, run.settings["mechanism"]) == (LABELLED, str(found.origin))
    unlabelled = [each for each in store.communities() if each.label is None]
    labels = [label for _, label in label_collected(store, unlabelled, model, min_reports=1)]
    lab = ProfileClassifier(seed=SEED).fit(simulated.subset(np.arange(LABELLED)))
    rest = simulated.subset(np.arange(LABELLED, len(simulated)))
    assert [each.label for each in labels] == lab.predict(rest).tolist()
    np.testing.assert_allclose([each.confidence for each in labels], lab.predict_proba(rest).max(axis=1))


def test_labels_keep_what_a_model_promises(simulated: gl.Reports, store: Store, tmp_path: Path) -> None:
    clf = gl.RobustProfileClassifier(seed=SEED).fit(simulated.subset(np.arange(LABELLED)))
    clf.save(tmp_path / "model.npz")
    rest = simulated.subset(np.arange(LABELLED, len(simulated)))
    unlabelled = [each for each in store.communities() if each.label is None]
    found = label_collected(store, unlabelled, tmp_path / "model.npz", min_reports=1)
    promised = clf.withstood(rest).tolist()
    assert [label.certified for _, label in found] == promised
    kept = store.results.predictions()
    assert [kept[each.key].certified for each in unlabelled] == promised
