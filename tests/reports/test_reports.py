"""Reports: what users sent, who is missing, what was promised."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import DataError, FormatError
from graphldp.reports import HubAnswers, Origin

LISTS: dict[str, Any] = {"indptr": [0, 1, 2, 2], "indices": [2, 0], "graph_ptr": [0, 3]}
SPENT: dict[str, Any] = {"budget": gl.Budget(0.25, 0.75)}
NOBODY = np.full(3, np.nan)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": gl.Budget(np.full(2, 0.1), 1.0)}, r"one number or one per user \(3\). Got 2"),
        ({"budget": 1.0}, "budget must be a Budget"),
        ({"noisy_degree": np.array([1, 2, 3])}, "noisy_degree must hold a number"),
        ({"noisy_degree": np.array([1.0])}, "noisy_degree must hold a number for each of 3 users"),
        ({"answers": HubAnswers(NOBODY > 0, NOBODY > 0, NOBODY, NOBODY)}, "must add up to noisy_degree"),
        ({"answers": (NOBODY, NOBODY)}, "answers must be HubAnswers"),
        ({"missing": np.array([0, 0, 1])}, "missing must hold True or False"),
        ({"missing": np.array([True, False, False])}, "who has not reported must have an empty list"),
    ],
)
def test_reports_are_checked_at_birth(given: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        gl.Reports(**(LISTS | SPENT | given))


def test_noisy_lists_need_not_be_symmetric() -> None:
    reports = gl.Reports(**LISTS, **SPENT)
    assert reports.guarantee.epsilon.tolist() == [1.0] * 3
    assert not reports.public.any()
    assert reports.induced() is reports


def test_the_graphs_of_those_who_have_reported() -> None:
    """Users 1 and 5 are missing: they leave the numbering, and the lists that name them."""
    reports = gl.Reports(
        np.array([0, 2, 2, 4, 5, 6, 6]),
        np.array([1, 2, 0, 1, 1, 2]),
        np.array([0, 3, 6]),
        np.array([7, 8]),
        graph_ids=np.array([4, 2]),
        budget=gl.Budget(np.arange(6.0), 1.0),
        noisy_degree=np.arange(6.0) / 2,
        missing=np.array([False, True, False, False, False, True]),
    )
    induced = reports.induced()
    assert induced.graph_ptr.tolist() == [0, 2, 4]
    assert [induced.indices[a:b].tolist() for a, b in zip(induced.indptr, induced.indptr[1:], strict=False)] == [
        [1],
        [0],
        [1],
        [],
    ]
    assert induced.epsilon1.tolist() == [0.0, 2.0, 3.0, 4.0]
    assert some(induced.noisy_degree).tolist() == [0.0, 1.0, 1.5, 2.0]
    assert (some(induced.labels).tolist(), induced.graph_ids.tolist(), induced.missing) == ([7, 8], [4, 2], None)
    induced.changed(trusted=False)


def test_nonpriv_part_is_the_subgraph_of_public_users() -> None:
    graphs = gl.synthetic.barabasi_albert(n=40, m=3, num_graphs=3, seed=1)
    epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.5, rng=2)
    induced = gl.NonPrivPart(epsilon).randomize(graphs, rng=3).induced()
    made = graphs.to_networkx()
    public = np.isinf(epsilon).reshape(3, 40)
    for number, graph in enumerate(made):
        members = np.flatnonzero(public[number]).tolist()
        expected = gl.GraphSet.from_networkx([relabelled(graph, members)])
        np.testing.assert_array_equal(induced[number].indices, expected.indices)
        np.testing.assert_array_equal(induced[number].indptr, expected.indptr)


def relabelled(graph: Any, members: list[int]) -> Any:
    """The induced subgraph, its nodes in order."""
    made = graph.__class__()
    made.add_nodes_from(members)
    made.add_edges_from(graph.subgraph(members).edges())
    return made


ORIGIN = Origin("dprr", {"epsilon": 1.0, "allocation": [0.25, 0.75], "noise": "laplace"})


def test_how_reports_were_drawn_is_kept_in_files_and_between_processes(tmp_path: Path) -> None:
    reports = gl.Reports(**LISTS, **SPENT, origin=ORIGIN)
    reports.save(tmp_path / "reports.npz")
    assert gl.Reports.load(tmp_path / "reports.npz").origin == ORIGIN
    assert pickle.loads(pickle.dumps(reports)).origin == ORIGIN
    assert reports.subset([0]).origin == ORIGIN
    assert str(ORIGIN) == "dprr(epsilon=1.0, allocation=[0.25, 0.75], noise='laplace')"


def test_what_a_filter_judged_knows_it(tmp_path: Path) -> None:
    reports = gl.NoisyDegrees(1.0).randomize(gl.synthetic.threads(4, seed=0), rng=0)
    judged = replace(reports, filtered=True, missing=np.arange(reports.num_users) % 5 == 0)
    for each, wanted in ((reports, False), (judged, True)):
        each.save(tmp_path / "reports.npz")
        found = gl.Reports.load(tmp_path / "reports.npz")
        assert {kept.filtered for kept in (found, found[:2], found.induced())} == {wanted}
        gone = replace(found, missing=np.arange(found.num_users) == 0)
        assert (gone.filtered, gone.induced().filtered) == (wanted, True)
        assert ("users left out" in each._repr_html_()) == wanted
    with pytest.raises(DataError, match="filtered must be True or False"):
        replace(reports, filtered=1)  # type: ignore[arg-type]


def test_an_origin_does_not_change() -> None:
    given = {"noise": "laplace"}
    origin = Origin("dprr", given)
    given["noise"] = "discrete"
    assert origin.parameters["noise"] == "laplace"
    with pytest.raises(TypeError):
        wrong(origin.parameters)["noise"] = "discrete"
    assert str(Origin()) == "an unknown mechanism"


@pytest.mark.parametrize(
    "text", ["", "[]", "3", '"dprr"', '{"name": 3}', '{"name": "x", "parameters": 3}', '{"a": 1}', "[" * 100_000]
)
def test_damaged_origins(tmp_path: Path, text: str) -> None:
    path = tmp_path / "reports.npz"
    gl.Reports(**LISTS, **SPENT, origin=ORIGIN).save(path)
    arrays = dict(np.load(path))
    np.savez(path, **(arrays | {"origin.json": np.array(text)}))
    with pytest.raises(FormatError, match="damaged"):
        gl.Reports.load(path)


def test_a_file_from_before_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "reports.npz"
    gl.Reports(**LISTS, **SPENT, origin=ORIGIN).save(path)
    np.savez(path, **(dict(np.load(path)) | {"format": np.array(2)}))
    with pytest.raises(FormatError, match="format 2 is from before the first release; make and save it again"):
        gl.Reports.load(path)


def test_networkx_graphs_are_directed_as_reported() -> None:
    """User 0 lists 2 and user 1 lists 0; user 2 has not reported."""
    missing = np.array([False, False, True])
    degrees = np.array([1.5, -0.5, 0.0])
    graph = gl.Reports(**LISTS, **SPENT, missing=missing, noisy_degree=degrees).to_networkx()[0]
    assert graph.is_directed()
    assert sorted(graph.edges()) == [(0, 2), (1, 0)]
    assert dict(graph.nodes.items()) == {0: {"noisy_degree": 1.5}, 1: {"noisy_degree": -0.5}, 2: {"missing": True}}
    assert dict(gl.Reports(**LISTS, **SPENT).to_networkx()[0].nodes.items()) == {0: {}, 1: {}, 2: {}}
