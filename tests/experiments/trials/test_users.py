"""Trials about single users: the same numbers as by hand, what is in no set, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.experiments.cells import Row
from graphldp.experiments.compute import compute, groups_of
from graphldp.experiments.draws import REPORTED, Context, Draw
from graphldp.experiments.plans.plan import file_id
from graphldp.experiments.plans.setup import Setup
from graphldp.experiments.trial import NODE_LEARNERS, NODES, Trial
from graphldp.experiments.trials.users import split_users
from graphldp.neighbour_lists.labels import NO_LABEL

RATIOS = (0.5, 0.25, 0.25)
DATASET = "synthetic:communities"


def counts(epsilon: float = 1.0, seed: int = 4) -> Trial:
    return Trial(Draw(DATASET, "friend-counts", epsilon, seed=seed), RATIOS, seed, NODES)


def rows_of(trials: Sequence[Trial], context: Context = Context()) -> list[Row]:  # noqa: B008 (frozen)
    found = {row.cell.id: row for row in compute([trial.cell for trial in trials], context)}
    return [found[trial.cell.id] for trial in trials]


def test_a_trial_is_what_the_library_says() -> None:
    graphs = gl.synthetic.communities()
    truth = some(graphs.node_labels)
    train, validation, test = gl.split(truth, RATIOS, 4)
    view = gl.FeatureView.of(graphs, train=train, validation=validation, seed=4)
    reports = gl.FriendCounts(1.0).randomize(graphs.with_groups(view.groups), rng=4)
    clf = gl.NodeClassifier(seed=4).fit(reports, train=train, validation=validation, view=view)
    own, alone, everything = rows_of(
        [counts(), *(replace(counts(), classifier=f"node-{n}") for n in ("features", "view"))]
    )
    assert own.numbers["accuracy"] == clf.score(reports, users=test)
    assert own.numbers["val_accuracy"] == clf.score(reports, users=validation)
    assert int(np.sum(own.numbers["confusion"])) == len(test)
    for row, told in ((alone, view.alone), (everything, view.log_proba)):
        assert row.numbers["accuracy"] == float((told[test].argmax(axis=1) == truth[test]).mean())
    assert own.numbers["accuracy"] > everything.numbers["accuracy"] + 0.05


@pytest.mark.parametrize("learner", NODE_LEARNERS)
def test_a_cell_names_its_trial(learner: str) -> None:
    trial = replace(counts(), classifier=learner)
    assert trial.cell.kind == "nodes"
    assert Trial.of(trial.cell) == trial


def test_blinks_graph_is_heard() -> None:
    """At ε = 8 nearly the whole graph is there; seeded."""
    draw = Draw(DATASET, "blink", 8.0, seed=0, options=(("delta", 0.1),))
    heard, alone = rows_of([Trial(draw, RATIOS, 0, "node-blink"), Trial(draw, RATIOS, 0, "node-view")])
    assert heard.numbers["accuracy"] > alone.numbers["accuracy"] + 0.1


def test_cells_of_a_split_and_a_mechanism_go_together() -> None:
    trials = [counts(epsilon, seed) for seed in (0, 1) for epsilon in (1.0, 2.0)]
    shared, alone = groups_of(
        each.cell for each in [*trials, replace(trials[0], draw=Draw(DATASET, "rr", 8.0, seed=0))]
    )
    assert not alone
    assert [len(group) for group in shared] == [2, 2, 1]


def test_reports_from_elsewhere_are_a_draw_as_any_other(tmp_path: Path) -> None:
    """Users without a label are in no set; the groups are those by which they have counted."""
    graphs = gl.synthetic.communities(400, kinds=3, seed=1)
    labels = some(graphs.node_labels).copy()
    labels[:100] = NO_LABEL
    known = graphs.with_node_labels(labels, public=True).with_groups(some(graphs.node_labels))
    gl.FriendCounts(2.0).randomize(known, rng=0).save(tmp_path / "reports.npz")
    name, files = file_id(tmp_path / "reports.npz")
    context = Context(files=tuple(files.items()))
    setup = Setup(Trial(Draw(name, REPORTED), RATIOS, 0, NODES))
    setup.check(context)
    own, *controls = rows_of([*setup.candidates(0), *setup.controls(0).values()], context)
    assert {row.status for row in (own, *controls)} == {"done"}
    assert int(np.sum(own.numbers["confusion"])) == 75
    assert own.numbers["accuracy"] > max(row.numbers["accuracy"] for row in controls)


def test_a_graphs_own_groups_are_counted_by(tmp_path: Path) -> None:
    """Groups that tell nothing of kinds make counts worth nothing: everybody's group is drawn at random."""
    graphs = gl.synthetic.communities(400, kinds=3, seed=1)
    graphs.with_groups(np.random.default_rng(0).integers(0, 3, 400)).save(tmp_path / "graphs.npz")
    name, files = file_id(tmp_path / "graphs.npz")
    draw = Draw(name, "friend-counts", 8.0, seed=0)
    heard, alone = rows_of(
        [Trial(draw, RATIOS, 0, each) for each in (NODES, "node-view")], Context(files=tuple(files.items()))
    )
    assert heard.numbers["accuracy"] == pytest.approx(alone.numbers["accuracy"], abs=0.08)


def test_what_does_not_fit_is_not_tried() -> None:
    (row,) = rows_of([Trial(Draw(DATASET, "blink", 1.0, seed=0), RATIOS, 0, "node-blink")], Context(memory=1 << 20))
    assert (row.status, "memory" in row.note) == ("too-large", True)


def test_users_who_cannot_be_divided() -> None:
    graphs = gl.synthetic.communities(40)
    with pytest.raises(DataError, match="there must be one graph"):
        split_users(gl.synthetic.threads(4), RATIOS, 0)
    with pytest.raises(DataError, match="there must be one graph"):
        split_users(graphs.with_node_labels(None), RATIOS, 0)
    with pytest.raises(DataError, match="labels are private"):
        split_users(graphs.with_node_labels(some(graphs.node_labels), public=False), RATIOS, 0)


def test_a_mechanism_that_says_nothing_of_friends_is_refused_at_once() -> None:
    setup = Setup(Trial(Draw(DATASET, "noisy-degrees", 1.0), RATIOS, 0, NODES))
    with pytest.raises(ParameterError, match="'mechanism' parameter of NodeClassifier must be one of friend-counts"):
        setup.check(Context())
