from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.collector.people import N, open_cats, public_report, report, submission
from tests.values import some

from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.reports import Origin, Reports


def test_an_export_holds_what_was_reported_and_who_is_missing(store: Store, tmp_path: Path) -> None:
    cats, tokens = open_cats(store, label=1)
    dogs, others = open_cats(store, "dogs", label=0)
    store.accept(
        [
            submission(cats, 3, tokens[3], report(3, degree=-2, neighbours=(1, 9))),
            submission(cats, 9, tokens[9], public_report(9, neighbours=(3, 4, 5))),
            submission(dogs, 0, others[0], report(0, degree=8, neighbours=(1,))),
            submission(dogs, 1, others[1], report(1)),
        ]
    )
    store.holdings.delete("dogs", 1)
    reports = export(store, [dogs, cats])
    assert reports.sizes.tolist() == [N, N]
    assert reports.graph_ids.tolist() == [dogs.key, cats.key]
    assert reports.labels is not None
    assert reports.labels.tolist() == [0, 1]
    assert reports.missing is not None
    present = np.flatnonzero(~reports.missing).tolist()
    assert present == [0, N + 3, N + 9]
    lists = [reports.indices[reports.indptr[u] : reports.indptr[u + 1]].tolist() for u in present]
    assert lists == [[1], [1, 9], [3, 4, 5]]
    assert reports.noisy_degree is not None
    assert reports.noisy_degree[present].tolist() == [8, -2, 3]
    assert reports.epsilon1[present].tolist() == [0.1, 0.1, np.inf]
    assert reports.guarantee.public_users == 1
    assert (reports.origin, reports.noise) == (Origin("dprr", {"noise": "discrete"}), "discrete")
    induced = reports.induced()
    assert induced.sizes.tolist() == [1, 2]
    reports.save(tmp_path / "all.npz")
    again = Reports.load(tmp_path / "all.npz")
    assert np.array_equal(again.indices, reports.indices)
    assert "Collected: drawn on the users' devices." in str(again.guarantee)


def test_labels_that_there_are_are_kept(store: Store, tmp_path: Path) -> None:
    cats, _ = open_cats(store, label=1)
    dogs, _ = open_cats(store, "dogs")
    owls, _ = open_cats(store, "owls", label=0)
    export(store, [cats, dogs, owls]).save(tmp_path / "all.npz")
    reports = Reports.load(tmp_path / "all.npz")
    assert reports.labelled.tolist() == [True, False, True]
    assert some(reports[reports.labelled].labels).tolist() == [1, 0]
    assert export(store, [dogs]).labels is None


def test_an_export_of_nothing_is_refused(store: Store) -> None:
    with pytest.raises(ParameterError, match="one community or more"):
        export(store, [])
