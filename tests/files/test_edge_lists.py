"""Tables of edges and labels: numbers in the order of names, and errors that never show an edge."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.errors import FormatError
from graphldp.neighbour_lists.labels import NO_LABEL

EDGES = """source,target,graph
ann,bob,school
bob,carol,school
carol,bob,school
dave,,school
ann,ann,club
zoe,ann,club
eve,bob,choir
"""


def written(folder: Path, edges: str, labels: str | None = None) -> gl.GraphSet:
    (folder / "edges.csv").write_text(edges, encoding="utf-8")
    if labels is None:
        return gl.GraphSet.from_csv(folder / "edges.csv")
    (folder / "labels.csv").write_text(labels, encoding="utf-8")
    return gl.GraphSet.from_csv(folder / "edges.csv", labels=folder / "labels.csv")


def lists(graphs: gl.GraphSet) -> list[list[int]]:
    return [graphs.indices[a:b].tolist() for a, b in zip(graphs.indptr, graphs.indptr[1:], strict=False)]


def test_names_of_users_and_graphs_are_words(tmp_path: Path) -> None:
    """choir: bob, eve; club: ann, zoe; school: ann, bob, carol, dave, who has no friend."""
    graphs = written(tmp_path, EDGES, "graph;label\nclub;yes\nschool;no\n")
    assert graphs.name == "edges"
    assert graphs.sizes.tolist() == [2, 2, 4]
    assert lists(graphs) == [[1], [0], [1], [0], [1], [0, 2], [1], []]
    assert some(graphs.labels).tolist() == [NO_LABEL, 1, 0]
    assert len(graphs[graphs.labelled]) == 2


def test_numbers_are_in_the_order_of_numbers_and_a_graph_needs_no_name(tmp_path: Path) -> None:
    graphs = written(tmp_path, "\ufeffTarget\tweight\tSource\n9\t1\t10\n2\t1\t9\n\n")
    assert lists(graphs) == [[1], [0, 2], [1]]
    assert graphs.labels is None


def test_labels_of_users(tmp_path: Path) -> None:
    """frank is in the file of labels alone: he has no friend."""
    graphs = written(tmp_path, "source,target\na,b\nb,c\n", "user,label\nc,7\na,-1\nfrank,7\n")
    assert graphs.labels is None
    assert some(graphs.node_labels).tolist() == [-1, NO_LABEL, 7, 7]
    assert some(graphs.attributes).private_columns() == ("node_labels",)
    many = written(tmp_path, EDGES, "graph,user,label\nclub,ann,1\nschool,ann,2\n")
    assert some(many.node_labels).tolist() == [NO_LABEL] * 2 + [1, NO_LABEL, 2] + [NO_LABEL] * 3


def test_one_graph_has_one_label(tmp_path: Path) -> None:
    assert some(written(tmp_path, "source,target\na,b\n", "label\n3\n").labels).tolist() == [3]


def test_directions_are_kept_where_asked_for(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\nb,a\n")
    assert lists(gl.GraphSet.from_csv(tmp_path / "edges.csv", directed=True)) == [[], [0]]


@pytest.mark.attack("learning")
@pytest.mark.parametrize(
    ("edges", "labels", "message"),
    [
        ("", None, "edges.csv: needs columns source and target"),
        ("from,to\na,b\n", None, "needs columns source and target"),
        ("source,target,target\na,b,c\n", None, "needs columns source and target"),
        ("source,target\na,b\nmallory\n", None, "edges.csv: line 3 must hold 2 cells, none of them empty"),
        ("source,target\n,mallory\n", None, "line 2 must hold 2 cells"),
        ("source,target,graph\na,mallory,\n", None, "line 2 must hold 3 cells"),
        ('source,target\n"mallory,b\n', None, "quotes are not closed"),
        (EDGES, "graph\nclub\n", "labels.csv: needs columns label, named in its first line"),
        (EDGES, "graph,label\nclub,1\nmallory,2\n", "labels.csv: row 3 is about a graph that the edges do not name"),
        (EDGES, "label\n1\n", "row 2 is about a graph"),
        (EDGES, "graph,label\nclub,1\nschool,2\nclub,1\n", "row 4 gives a second label"),
    ],
)
def test_a_table_that_is_none_is_refused_and_not_shown(
    tmp_path: Path, edges: str, labels: str | None, message: str
) -> None:
    """A table of edges that is cut off or mixed up: the error names file and line, and never what stands there."""
    with pytest.raises(FormatError, match=message) as caught:
        written(tmp_path, edges, labels)
    assert "mallory" not in str(caught.value)


@pytest.mark.parametrize("content", [b"source,target\n\xff\xfe,b\n", None])
def test_what_is_no_file_of_text(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "edges.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FormatError, match=r"no table of text|no such file"):
        gl.GraphSet.from_csv(path)


def test_graphs_come_back_whatever_the_order_of_the_rows(tmp_path: Path) -> None:
    """Every graph of the embedded set, with its users without friends."""
    graphs = gl.synthetic.threads(20, seed=1)
    owner = np.repeat(np.arange(graphs.num_users), graphs.degrees)
    rows = np.stack((graphs.local_users[owner], graphs.indices, graphs.graph_of_user[owner]), axis=1)
    alone = np.flatnonzero(graphs.degrees == 0)
    text = [f"{a},{b},{g}" for a, b, g in np.random.default_rng(0).permutation(rows).tolist()]
    text += [f"{graphs.local_users[user]},,{graphs.graph_of_user[user]}" for user in alone.tolist()]
    back = written(tmp_path, "\n".join(["source,target,graph", *text]))
    for name in ("indptr", "indices", "graph_ptr"):
        np.testing.assert_array_equal(getattr(back, name), getattr(graphs, name))
