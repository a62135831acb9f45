"""Rows of graphs that were made in parts are those of the whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError
from graphldp.learn.tables.controls import DegreeControl, SizeControl
from graphldp.learn.tables.profiled import joined
from graphldp.learn.tables.profiling import profiled
from graphldp.threats.treatments import treat


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    """As a collector holds them: two ε, public users, lists of hubs, and some who have not reported."""
    graphs = gl.synthetic.threads(num_graphs=40, seed=0)
    epsilon = np.array([np.inf, 2.0, 4.0])[np.arange(graphs.num_users) % 3]
    drawn = gl.HubLists(epsilon, least=1.0).randomize(graphs, rng=0)
    silent = np.random.default_rng(0).random(drawn.num_users) < 0.1
    return replace(treat(drawn, silent, "remove"), collected=True)


def test_parts_join_to_the_whole(reports: gl.Reports) -> None:
    cuts = np.split(np.arange(len(reports)), (1, 8, 20))
    parts = joined([profiled(reports.subset(part)) for part in cuts])
    whole = profiled(reports)
    assert parts.digest == whole.digest
    assert parts.provenance(3) == whole.provenance(3) | {"dataset": "collected"}
    clf = gl.RobustProfileClassifier(seed=1).fit(parts)
    alone = gl.RobustProfileClassifier(seed=1).fit(reports)
    same = {name: value for name, value in alone.provenance_.items() if name != "dataset"}
    assert same.items() <= clf.provenance_.items()
    np.testing.assert_array_equal(clf.predict_proba(parts), alone.predict_proba(reports))
    np.testing.assert_array_equal(clf.withstood(parts), alone.withstood(reports))


@pytest.mark.parametrize("control", [DegreeControl, SizeControl])
def test_controls_read_rows_too(control: type[DegreeControl | SizeControl], reports: gl.Reports) -> None:
    rows, some = profiled(reports), np.arange(0, len(reports), 3)
    by_rows, by_reports = control(seed=0).fit(rows.subset(some)), control(seed=0).fit(reports.subset(some))
    np.testing.assert_array_equal(by_rows.predict_proba(rows), by_reports.predict_proba(reports))
    assert by_rows.score(rows) == by_reports.score(reports)
    np.testing.assert_array_equal(rows.sizes, reports.sizes)
    np.testing.assert_array_equal(rows.reported, reports.induced().sizes)


def test_simulated_reports_are_no_collectors(reports: gl.Reports) -> None:
    with pytest.raises(DataError, match="that a collector holds"):
        profiled(replace(reports, collected=False))
