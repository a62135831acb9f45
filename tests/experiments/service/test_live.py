"""Live is the recipe: what devices send is what the lab draws, and both are read and labelled by the same code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2_contingency
from tests.values import some

import graphldp as gl
from graphldp import wire
from graphldp.client.sampling import sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.collector import tokens
from graphldp.collector.offers import Split, offers
from graphldp.collector.storage.collecting.accepting import Ruling, Submission
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.store import Store
from graphldp.experiments.service import live
from graphldp.graphs import GraphSet
from graphldp.privacy.hubs import hub_from as hub_from_of
from graphldp.reports import Reports

pytestmark = pytest.mark.usefixtures("few_trees")

N, DRAWS = 120, 1500


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    yield opened
    opened.close()


def sent(reports: Reports, place: int, mechanism: str, choice: wire.Choice) -> Iterator[wire.Report]:
    """What the devices of one graph would send to say the same."""
    start, n = int(reports.graph_ptr[place]), int(reports.sizes[place])
    on_degree, *on_list = choice.spent(mechanism)
    for user in range(n):
        listed = reports.indices[reports.indptr[start + user] : reports.indptr[start + user + 1]]
        spent = on_list[0] if reports.epsilon2[start + user] else on_degree
        yield wire.Report(mechanism, n, user, *spent, int(some(reports.noisy_degree)[start + user]), listed)


@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_collected_reports_are_read_as_simulated_ones(store: Store, epsilon: float) -> None:
    """Simulated reports go through the wire, the store and the export, and come out as they were."""
    graphs = gl.synthetic.threads(num_graphs=40, seed=1)
    simulated = gl.recommended(epsilon).mechanism.randomize(graphs, rng=3)
    opened = []
    for place in range(graphs.num_graphs):
        n, id = int(graphs.sizes[place]), f"thread-{place}"
        mechanism, (choice,) = offers([epsilon], None, n, Split())
        label = int(some(graphs.labels)[place])
        made = store.open_community(
            id, [f"u{user}" for user in range(n)], mechanism=mechanism, choices=[choice], label=label
        )
        keys, arrived = store.invite(id), []
        for report in sent(simulated, place, mechanism, choice):
            body, hashed = wire.encode(report), tokens.hashed(keys[report.user])
            assert wire.validate(made, report.user, body) == (True, report.noisy_degree)
            arrived.append(Submission(made.key, report.user, hashed, body, report.noisy_degree))
        assert set(store.accept(arrived)) == {Ruling.STORED}
        opened.append(made)
    collected = export(store, opened)
    assert (epsilon > 1) == bool((collected.epsilon2 > 0).any())
    for name in ("indptr", "indices", "graph_ptr", "labels", "noisy_degree"):
        assert np.array_equal(some(getattr(collected, name)), some(getattr(simulated, name)))
    for name in ("epsilon1", "epsilon2"):  # in whole millionths
        np.testing.assert_allclose(getattr(collected, name), getattr(simulated, name), atol=2e-6)
    assert (collected.origin.name, collected.noise) == (simulated.origin.name, simulated.noise)
    drawn_with = {name: value for name, value in simulated.origin.parameters.items() if name != "epsilon"}
    assert dict(collected.origin.parameters) == drawn_with
    assert collected.missing is None
    train, test = np.arange(30), np.arange(30, 40)
    one, two = (
        gl.ProfileClassifier(seed=0).fit(each.subset(train)).predict_proba(each.subset(test))
        for each in (collected, simulated)
    )
    assert one.argmax(axis=1).tolist() == two.argmax(axis=1).tolist()
    np.testing.assert_allclose(one.max(axis=1), two.max(axis=1), rtol=1e-3)


@pytest.mark.parametrize("degree", [70, 85])
def test_devices_draw_the_law_of_the_lab(degree: int) -> None:
    """One user among 120, below and above the 81 from which on she is a hub: χ² over branch, degree and length.

    Both are seeded; for other seeds each would fail by chance once in a million runs.
    """
    mechanism, (choice,) = offers([2.0], None, N, Split())
    hub_from = some(hub_from_of(N, gl.HubLists(2.0).times))
    entropy, friends = Entropy(_source=np.random.default_rng(11).bytes), np.arange(1, degree + 1, dtype=np.int32)
    drawn = [
        sampler.draw(
            friends,
            mechanism=mechanism,
            n=N,
            user=0,
            epsilon1=choice.epsilon1,
            epsilon2=choice.epsilon2,
            hub_from=hub_from,
            _entropy=entropy,
        )
        for _ in range(DRAWS)
    ]
    devices = np.array([(r.hub, some(r.noisy_degree), len(r.neighbours)) for r in drawn])
    starts = np.repeat(np.arange(DRAWS) * N, degree)
    graphs = GraphSet.from_edges(starts, starts + np.tile(friends, DRAWS), np.full(DRAWS, N), directed=True)
    lab = gl.HubLists(2.0).randomize(graphs, rng=5)
    first = lab.graph_ptr[:-1]
    simulated = np.stack((lab.epsilon2[first] > 0, some(lab.noisy_degree)[first], lab.degrees[first]), axis=1)
    assert 0.01 < devices[:, 0].mean() < 0.99
    table = np.stack([_counts(each.astype(np.float64), degree) for each in (devices, simulated)])
    assert chi2_contingency(table[:, table.sum(axis=0) >= 20])[1] > 1e-6


def _counts(rows: NDArray[np.float64], degree: int) -> NDArray[np.int64]:
    """How often each kind of report came."""
    hub, noisy, length = rows.T
    near = np.clip(noisy - degree, -8, 8) // 2 + 4  # 0 to 8
    kind = np.where(hub > 0, 9 + near * 4 + np.clip((length - 60) // 8, 0, 3), near)
    return np.bincount(kind.astype(np.int64), minlength=9 + 9 * 4 + 4)


def test_the_simulation_beside_the_live_run_leaves_out_who_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = live.communities(live.FEWEST)
    silent = np.arange(graphs.num_users) % 9 == 4
    people = [live.Person(Path("nowhere"), "", bool(not each)) for each in silent]
    seen: list[Reports] = []

    class Seeing(gl.ProfileClassifier):
        """Tells what it is fitted to."""

        def fit(self, X: Any, *args: Any, **others: Any) -> Self:
            seen.append(X)
            return super().fit(X, *args, **others)

    monkeypatch.setattr("graphldp.learn.tables.profile_classifier.ProfileClassifier", Seeing)
    (accuracy,) = live.simulate(graphs, people, draws=1)
    assert accuracy * (graphs.num_graphs - live.labelled_of(graphs)) == pytest.approx(round(accuracy * 9))
    (reports,) = seen
    assert reports.num_graphs == live.labelled_of(graphs) == 19
    assert np.array_equal(some(reports.missing), silent[: reports.num_users])
