from __future__ import annotations

import random
import re
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.values import some

import graphldp as gl
from graphldp.datasets import tu
from graphldp.errors import FormatError, GraphLDPError

from .conftest import Write

BIG = 3 * (1 << 20)  # bytes: several blocks of the reader


def edge_sets(graphs: gl.GraphSet) -> list[set[frozenset[int]]]:
    return [{frozenset(edge) for edge in graph.edges()} for graph in graphs.to_networkx()]


@pytest.mark.parametrize("kind", ["write_zip", "write_folder"])
def test_reads_a_small_dataset(kind: str, request: pytest.FixtureRequest) -> None:
    graphs = tu.read(request.getfixturevalue(kind)(), "tiny")
    assert graphs.name == "tiny"
    assert not graphs.directed
    assert graphs.sizes.tolist() == [3, 3]
    assert graphs.labels is not None
    assert graphs.labels.tolist() == [-1, 1]  # the file's own values
    triangle = {frozenset(pair) for pair in ((0, 1), (1, 2), (0, 2))}
    assert edge_sets(graphs) == [triangle, {frozenset((0, 1))}]


def test_reads_members_at_the_top_of_a_zip(write_zip: Write) -> None:
    assert tu.read(write_zip(inside=""), "tiny").num_users == 6


def test_missing_labels_are_none(write_zip: Write) -> None:
    assert tu.read(write_zip(graph_labels=None), "tiny").labels is None


@pytest.mark.parametrize(
    "edges",
    ["1,2\r\n4 ,\t5\r\n", "1, 2\n4, 5", "1, 2\n4, 5\n\n \n", "0001,2\n  4,5  \n"],
    ids=["crlf and blanks", "no last newline", "blank end", "zeros"],
)
def test_spacing_does_not_matter(write_zip: Write, edges: str) -> None:
    assert tu.read(write_zip(A=edges), "tiny").num_entries == 4


def test_unsorted_indicator_keeps_order_within_a_graph(write_zip: Write) -> None:
    # nodes 2, 4 and 5 are graph 1's users 0, 1, 2; nodes 1, 3 and 6 graph 2's
    graphs = tu.read(write_zip(A="4, 2\n1, 6\n3, 6\n", graph_indicator="2\n1\n2\n1\n1\n2\n"), "tiny")
    assert edge_sets(graphs) == [{frozenset((0, 1))}, {frozenset((0, 2)), frozenset((1, 2))}]


def test_graph_without_nodes_is_kept(write_zip: Write) -> None:
    graphs = tu.read(write_zip(A="1, 2\n", graph_indicator="1\n1\n3\n", graph_labels="5\n6\n7\n"), "tiny")
    assert graphs.sizes.tolist() == [2, 0, 1]


@given(data=st.data())
def test_any_shuffled_dataset_comes_back(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    owner = data.draw(st.permutations([g for g, size in enumerate(sizes) for _ in range(size)]))
    nodes = [[v for v, g in enumerate(owner) if g == graph] for graph in range(len(sizes))]
    pairs = [(a, b) for members in nodes for a in members for b in members]
    chosen = data.draw(st.lists(st.sampled_from(pairs), min_size=1))
    folder = tmp_path_factory.mktemp("any")
    (folder / "x_A.txt").write_text("".join(f"{a + 1}, {b + 1}\n" for a, b in chosen))
    (folder / "x_graph_indicator.txt").write_text("".join(f"{g + 1}\n" for g in owner))
    graphs = tu.read(folder, "x")
    expected = [
        {frozenset((members.index(a), members.index(b))) for a, b in chosen if a != b and a in members}
        for members in nodes
    ]
    assert graphs.sizes.tolist() == sizes
    assert edge_sets(graphs) == expected


@given(st.integers(1, 2), st.lists(st.text("0123456789,- \t\rx", max_size=12), min_size=1, max_size=5))
def test_fast_parser_accepts_exactly_the_grammar(columns: int, lines: list[str]) -> None:
    number = r"[ \t\r]*(-?[0-9]{1,18})[ \t\r]*"
    matches = [re.fullmatch(",".join([number] * columns), line) for line in lines]
    got = tu.parse("".join(f"{line}\n" for line in lines).encode(), columns)
    if all(matches):
        assert got is not None
        rows = [[int(text) for text in match.groups()] for match in matches if match]
        assert got.reshape(columns, -1).T.tolist() == rows
    else:
        assert got is None


def test_many_blocks(write_zip: Write) -> None:
    n = BIG // 12
    path = np.arange(1, n)
    edges = "".join(f"{a}, {a + 1}\n" for a in path)
    assert len(edges) > BIG
    graphs = tu.read(write_zip(A=edges, graph_indicator="1\n" * n, graph_labels="0\n"), "tiny")
    assert graphs.num_users == n
    assert graphs.num_entries == 2 * (n - 1)
    assert graphs.degrees.max() == 2


BAD: dict[str, tuple[dict[str, str | None], str]] = {
    "word": ({"A": "1, 2\nx, 2\n"}, "tiny_A.txt: line 2 "),
    "fraction": ({"A": "1, 2\n2, 3\n1.5, 2\n"}, "tiny_A.txt: line 3 "),
    "one column": ({"A": "1, 2\n2\n"}, "tiny_A.txt: line 2 "),
    "three columns": ({"A": "1, 2, 3\n"}, "tiny_A.txt: line 1 "),
    "columns that only add up": ({"A": "1, 2\n1\n2, 3, 1\n"}, "tiny_A.txt: line 2 "),
    "no comma": ({"A": "1 2\n"}, "tiny_A.txt: line 1 "),
    "blank line": ({"A": "1, 2\n\n2, 3\n"}, "tiny_A.txt: line 2 "),
    "huge number": ({"A": "1, 99999999999999999999\n"}, "tiny_A.txt: line 1 "),
    "letter": ({"A": "1, 2\n1, ２\n"}, "tiny_A.txt: line 2 "),
    "node 0": ({"A": "1, 2\n2, 0\n"}, "tiny_A.txt: line 2 names a node outside 1 to 6."),
    "node too large": ({"A": "7, 1\n"}, "tiny_A.txt: line 1 names a node outside 1 to 6."),
    "negative node": ({"A": "1, 2\n1, 2\n-1, 2\n"}, "tiny_A.txt: line 3 names a node outside 1 to 6."),
    "across graphs": ({"A": "1, 2\n3, 4\n"}, "tiny_A.txt: line 2 joins nodes of two graphs."),
    "no edges": ({"A": ""}, "tiny_A.txt: is empty."),
    "only blanks": ({"A": " \n\n"}, "tiny_A.txt: is empty."),
    "missing edges": ({"A": None}, "tiny_A.txt: is missing."),
    "missing indicator": ({"graph_indicator": None}, "tiny_graph_indicator.txt: is missing."),
    "graph 0": ({"graph_indicator": "1\n0\n"}, "tiny_graph_indicator.txt: line 2 names a graph outside"),
    "too few labels": ({"graph_labels": "1\n"}, "tiny_graph_indicator.txt: line 4 names a graph outside the 1 "),
    "too many labels": ({"graph_labels": "1\n2\n3\n"}, "tiny_graph_labels.txt: has 3 lines, but the nodes belong to 2"),
    "label in words": ({"graph_labels": "1\nyes\n"}, "tiny_graph_labels.txt: line 2 "),
    "labels empty": ({"graph_labels": ""}, "tiny_graph_labels.txt: is empty."),
    "far graph": (
        {"graph_indicator": "1\n999999999999\n", "graph_labels": None},
        "tiny_graph_indicator.txt: line 2 names more graphs than nodes.",
    ),
}


@pytest.mark.parametrize("kind", ["write_zip", "write_folder"])
@pytest.mark.parametrize("case", BAD)
def test_malformed_file_is_named_with_its_line(kind: str, case: str, request: pytest.FixtureRequest) -> None:
    changed, message = BAD[case]
    path = request.getfixturevalue(kind)(**changed)
    with pytest.raises(FormatError, match=re.escape(f"{path}: {message}")):
        tu.read(path, "tiny")


def test_line_number_beyond_the_first_block(write_zip: Write) -> None:
    lines = BIG // 5
    with pytest.raises(FormatError, match=f"line {lines + 1} "):
        tu.read(write_zip(A="1, 2\n" * lines + "1, oops\n", packed=False), "tiny")


def test_error_does_not_repeat_the_line(write_zip: Write) -> None:
    with pytest.raises(FormatError) as caught:
        tu.read(write_zip(A="1, 2\n31337, 4\n"), "tiny")
    assert "31337" not in str(caught.value)


def test_endless_line(write_zip: Write) -> None:
    for text, line in (("1" * BIG, 1), (" " * BIG, 1), ("1, 2\n" + "1" * BIG, 2), ("1, 2\n" + " " * BIG, 2)):
        with pytest.raises(FormatError, match=f"line {line} must hold two"):
            tu.read(write_zip(A=text, packed=False), "tiny")


def test_not_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "tiny.zip"
    path.write_bytes(b"<html>moved</html>")
    with pytest.raises(FormatError, match="not a zip archive"):
        tu.read(path, "tiny")


def test_member_of_absurd_size_is_refused_unread(write_zip: Write) -> None:
    path = write_zip()
    content = bytearray(path.read_bytes())
    entry = content.index(b"PK\x01\x02")  # the first entry of the archive's directory is A's
    struct.pack_into("<I", content, entry + 24, 0xFFFFFFF0)  # its declared size: 4 GiB
    path.write_bytes(bytes(content))
    with pytest.raises(FormatError, match=r"tiny\.zip: unpacks to more than 1 GiB"):
        tu.read(path, "tiny")


@pytest.mark.attack("learning")
@pytest.mark.parametrize("part", ["A", "graph_indicator", "graph_labels"])
def test_a_small_archive_takes_little_memory(write_zip: Write, part: str) -> None:
    """A TU archive of 306 kB.

    40 kB that unpack to 40 MB, and would take a gigabyte as numbers.
    """
    path = write_zip(**{part: ("1,2\n" if part == "A" else "1\n") * 10_000_000})
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    try:
        for use in (tu.read, tu.check_whole):
            with pytest.raises(FormatError, match=r"tiny\.zip: unpacks to [0-9,]+ times its size"):
                use(path, "tiny")
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("inside", ["../", "/", "tiny/../", "other/", "tiny\\"])
def test_member_elsewhere_is_not_the_dataset(write_zip: Write, inside: str) -> None:
    with pytest.raises(FormatError, match="is missing"):
        tu.read(write_zip(inside=inside), "tiny")


def test_member_twice_is_refused(write_zip: Write) -> None:
    path = write_zip()
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("tiny_A.txt", "1, 2\n")
    with pytest.raises(FormatError, match=r"tiny_A.txt: is in the archive 2 times"):
        tu.read(path, "tiny")


def test_unusual_compression_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "tiny.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("tiny_graph_labels.txt", "1\n")
    with pytest.raises(FormatError, match="packed in a way that cannot be read"):
        tu.read(tmp_path / "tiny.zip", "tiny")


def test_damaged_archives_never_end_in_another_error(write_zip: Write) -> None:
    path = write_zip()
    whole = path.read_bytes()
    rng = random.Random(0)
    outcomes = set()
    for _ in range(400):
        damaged = bytearray(whole[: rng.choice((len(whole), rng.randrange(len(whole))))])
        for _ in range(rng.randrange(4)):
            if damaged:
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(bytes(damaged))
        try:
            tu.read(path, "tiny")
            outcomes.add("read")
        except GraphLDPError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_digest_follows_content(write_zip: Write, write_folder: Write, tmp_path: Path) -> None:
    archive = write_zip()
    first = tu.digest(archive, "tiny")
    assert tu.digest(write_zip(A="1, 2\n"), "tiny") != first
    folder = write_folder()
    before = tu.digest(folder, "tiny")
    (folder / "tiny_graph_labels.txt").unlink()
    assert tu.digest(folder, "tiny") != before


def test_reddit_binary(reddit_binary: gl.GraphSet) -> None:
    facts = reddit_binary.statistics()
    assert (facts["graphs"], facts["classes"], facts["nodes_max"], facts["degree_max"]) == (2000, 2, 3782, 3062)
    assert facts["nodes_mean"] == pytest.approx(429.627)
    assert (facts["users"], facts["edges"]) == (859_254, 995_508)


def test_imdb_binary(imdb_binary: gl.GraphSet) -> None:
    facts = imdb_binary.statistics()
    assert (facts["graphs"], facts["classes"], facts["nodes_max"], facts["degree_max"]) == (1000, 2, 136, 135)
    assert facts["nodes_mean"] == pytest.approx(19.773)


def test_columns_of_nodes(write_zip: Write, write_folder: Write) -> None:
    """Nodes of the second graph stand first in the file; their columns move with them."""
    moved = {"graph_indicator": "2\n2\n2\n1\n1\n1\n", "node_labels": "5\n-6\n7\n8\n9\n10\n"}
    attributes = "0.5, 1\n1.5,2\n2.5 , 3\n3.5, 4e0\n-4.5, 5\n5.5, 6\n"
    for write in (write_zip, write_folder):
        graphs = tu.read(write(**moved, node_attributes=attributes), "tiny")
        assert some(graphs.node_labels).tolist() == [8, 9, 10, 5, -6, 7]
        assert graphs.features[:, 0].tolist() == [3.5, -4.5, 5.5, 0.5, 1.5, 2.5]
        assert some(graphs.attributes).private_columns() == ("features", "node_labels")
    several = tu.read(write_zip(node_labels="1, 2\n" * 6, node_attributes=attributes), "tiny")
    assert several.node_labels is None
    assert several.features.shape == (6, 4)


@pytest.mark.attack("learning")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n" * 5, "tiny_node_attributes.txt: has 5 lines, but there are 6 nodes"),
        ("1, 2\n1\n" * 3, "line 2 must hold 2 numbers"),
        ("1\n1\nsecret\n1\n1\n1\n", "line 3 must hold 1 numbers"),
        ("1\nnan\n1\n1\n1\n1\n", "line 2 must hold finite numbers"),
    ],
)
def test_bad_columns_of_nodes(write_zip: Write, text: str, message: str) -> None:
    """A value that is not a number, in a file of users' features."""
    with pytest.raises(FormatError, match=message) as raised:
        tu.read(write_zip(node_attributes=text), "tiny")
    assert "secret" not in str(raised.value)
