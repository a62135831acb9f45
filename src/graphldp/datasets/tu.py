"""TU archives: NAME_A.txt, NAME_graph_indicator.txt and NAME_graph_labels.txt, in a zip or a folder.

The layout of Morris et al., *TUDataset: A collection of benchmark datasets for learning with graphs* (2020): nodes
are numbered from 1 through all graphs, line k of the indicator is the graph of node k, line g of the labels is the
label of graph g, and each line "i, j" of A is an edge. Here a graph is undirected, self-loops are dropped and repeats
merged; labels keep their values. Line k of NAME_node_labels.txt is the label of node k, and line k of
NAME_node_attributes.txt holds its features; both files may be absent, and what they hold is private until it is said
to be public (``graphs.with_features(graphs.features, public=True)``).

A malformed file is a :class:`~graphldp.errors.FormatError` that names file and line, never what the line says: an edge
is private.
"""

from __future__ import annotations

import errno
import hashlib
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import FormatError
from graphldp.files.archives import grows_too_much
from graphldp.graphs import GraphSet

PARSER = 2  # raised when the same files would give another set, so that cached parses are made anew
EDGES, INDICATOR, LABELS = "A", "graph_indicator", "graph_labels"
NODE_LABELS, NODE_ATTRIBUTES = "node_labels", "node_attributes"
PARTS = (EDGES, INDICATOR, LABELS, NODE_LABELS, NODE_ATTRIBUTES)
OPTIONAL = (LABELS, NODE_LABELS, NODE_ATTRIBUTES)
MAX_BYTES = 1 << 30  # of all files, unpacked: five times the largest social dataset of the collection
_CHUNK = 1 << 20  # bytes parsed at a time: fits the processor's cache, and bounds the memory
_LINE = ("", "one whole number", "two whole numbers with a comma between them")
_BLANK = b" \t\r\n"
_ZIP_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OverflowError, UnicodeDecodeError)


def read(path: Path, name: str) -> GraphSet:
    """Read the dataset NAME from a zip archive or an unpacked folder.

    Raises:
        FormatError: naming file and line, when a file is missing or malformed.
    """
    _check_size(path, name)
    labels = None
    if has_member(path, name, LABELS):
        labels = _numbers(path, name, LABELS, 1)
    graph = _numbers(path, name, INDICATOR, 1) - 1
    graphs = len(graph) if labels is None else len(labels)
    bound = "more graphs than nodes" if labels is None else f"a graph outside the {graphs} that have a label"
    _all_lines((graph >= 0) & (graph < graphs), path, name, INDICATOR, f"names {bound}")
    found = int(graph.max()) + 1
    if labels is not None and found != graphs:
        where = _where(path, name, LABELS)
        raise FormatError(f"{where}: has {graphs} lines, but the nodes belong to {found} graphs.")
    edges = _numbers(path, name, EDGES, 2) - 1
    one, two = edges[0], edges[1]
    inside = (one >= 0) & (two >= 0) & (one < len(graph)) & (two < len(graph))
    _all_lines(inside, path, name, EDGES, f"names a node outside 1 to {len(graph)}")
    _all_lines(graph[one] == graph[two], path, name, EDGES, "joins nodes of two graphs")
    order = np.argsort(graph, kind="stable")
    rank = np.empty_like(graph)
    rank[order] = np.arange(len(graph))
    proper = one != two
    made = GraphSet.from_edges(rank[one[proper]], rank[two[proper]], np.bincount(graph), labels, name=name)
    return _with_columns(made, path, name, order)


def _with_columns(graphs: GraphSet, path: Path, name: str, order: NDArray[np.int64]) -> GraphSet:
    """The graphs with what the files say of their nodes. Labels of several columns are features."""
    tables = [_table(path, name, part, len(order)) for part in (NODE_LABELS, NODE_ATTRIBUTES)]
    labels, attributes = (None if table is None else table[order] for table in tables)
    if labels is not None and labels.shape[1] == 1 and (labels == np.rint(labels)).all():
        graphs, labels = graphs.with_node_labels(labels[:, 0].astype(np.int64)), None
    features = [table for table in (labels, attributes) if table is not None]
    return graphs.with_features(np.hstack(features)) if features else graphs


def _table(path: Path, name: str, part: str, lines: int) -> NDArray[np.float64] | None:
    """The numbers of a file, one row for each node; None where there is no such file."""
    if not has_member(path, name, part):
        return None
    where = _where(path, name, part)
    with _open(path, name, part) as file:
        rows = file.read().rstrip(_BLANK).split(b"\n")
    if len(rows) != lines:
        raise FormatError(f"{where}: has {len(rows)} lines, but there are {lines} nodes.")
    columns = rows[0].count(b",") + 1
    table = np.empty((lines, columns))
    for line, row in enumerate(rows):
        try:
            table[line] = np.array([float(each) for each in row.split(b",")]).reshape(columns)
        except ValueError:  # no number, or another number of them
            raise FormatError(f"{where}: line {line + 1} must hold {columns} numbers.") from None
    _all_lines(np.asarray(np.isfinite(table).all(axis=1)), path, name, part, "must hold finite numbers")
    return table


def has_member(path: Path, name: str, part: str) -> bool:
    """Whether the archive or folder holds a file NAME_part.txt."""
    if path.is_dir():
        return (path / f"{name}_{part}.txt").is_file()
    with _zip_errors(path), zipfile.ZipFile(path) as archive:
        return _member_of(archive, path, name, part) is not None


def check_whole(path: Path, name: str) -> None:
    """Read every file that :func:`read` needs to its end, which checks a zip's own checksums."""
    _check_size(path, name)
    for part in PARTS:
        if part not in OPTIONAL or has_member(path, name, part):
            with _open(path, name, part) as file:
                while file.read(_CHUNK):
                    pass


def digest(path: Path, name: str) -> str:
    """SHA-256 of the archive, or of the folder's files."""
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    total = hashlib.sha256()
    for part in PARTS:
        here = has_member(path, name, part)
        total.update(digest(path / f"{name}_{part}.txt", name).encode() if here else b"-")
    return total.hexdigest()


def _where(path: Path, name: str, part: str) -> str:
    return f"{path}: {name}_{part}.txt"


def _all_lines(good: NDArray[np.bool_], path: Path, name: str, part: str, problem: str) -> None:
    if not good.all():
        raise FormatError(f"{_where(path, name, part)}: line {int(np.argmin(good)) + 1} {problem}.")


@contextmanager
def _zip_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except _ZIP_DAMAGE:
        raise FormatError(f"{path}: not a zip archive, or damaged.") from None
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise FormatError(f"{path}: damaged, it points outside itself.") from None
    except (NotImplementedError, RuntimeError):  # a newer zip, or a password
        raise FormatError(f"{path}: encrypted, or packed in a way that cannot be read.") from None


def _member_of(archive: zipfile.ZipFile, path: Path, name: str, part: str) -> zipfile.ZipInfo | None:
    """The one member by its exact name: nothing is ever unpacked to disk, so no other path matters."""
    file = f"{name}_{part}.txt"
    found = [info for info in archive.infolist() if info.filename in (file, f"{name}/{file}")]
    if len(found) > 1:
        raise FormatError(f"{_where(path, name, part)}: is in the archive {len(found)} times.")
    if found and found[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImplementedError  # as zipfile says of packings that it does not know; _zip_errors makes words of it
    return found[0] if found else None


def _check_size(path: Path, name: str) -> None:
    """Refuse what is too large to be a dataset before any of it is read; zipfile reads no more than was declared."""
    if path.is_dir():
        files = [path / f"{name}_{part}.txt" for part in PARTS]
        unpacked = packed = sum(file.stat().st_size for file in files if file.is_file())
    else:
        packed = path.stat().st_size
        with _zip_errors(path), zipfile.ZipFile(path) as archive:
            found = [_member_of(archive, path, name, part) for part in PARTS]
            unpacked = sum(member.file_size for member in found if member is not None)
    if unpacked > MAX_BYTES:
        raise FormatError(f"{path}: unpacks to more than {MAX_BYTES >> 30} GiB.")
    if grows_too_much(unpacked, packed):
        raise FormatError(f"{path}: unpacks to {unpacked // packed:,} times its size, which no dataset does.")


@contextmanager
def _open(path: Path, name: str, part: str) -> Iterator[IO[bytes]]:
    missing = FormatError(f"{_where(path, name, part)}: is missing.")
    if path.is_dir():
        if not has_member(path, name, part):
            raise missing
        with (path / f"{name}_{part}.txt").open("rb") as file:
            yield file
        return
    with _zip_errors(path), zipfile.ZipFile(path) as archive:
        member = _member_of(archive, path, name, part)
        if member is None:
            raise missing
        with archive.open(member) as file:
            yield file


def _numbers(path: Path, name: str, part: str, columns: int) -> NDArray[np.int64]:
    """All numbers of a file: flat for one column, else of shape (columns, lines)."""
    blocks: list[NDArray[np.int64]] = []
    where, line, rest = _where(path, name, part), 0, b""
    with _open(path, name, part) as file:
        while block := file.read(_CHUNK):
            text = rest + block
            cut = text.rstrip(_BLANK).rfind(b"\n") + 1  # keeps blank lines back: they are fine at the very end
            whole, rest = text[:cut], text[cut:]
            if whole:
                blocks.append(_parse_or_raise(whole, columns, line, where))
                line += blocks[-1].shape[-1]
            if len(rest) > _CHUNK:  # one line, or the blanks after it, without an end
                first = rest.rstrip(_BLANK)
                raise _malformed(where, line + (2 if 0 < len(first) <= _CHUNK else 1), columns)
    if rest.strip(_BLANK):
        blocks.append(_parse_or_raise(rest.rstrip(_BLANK) + b"\n", columns, line, where))
    if not blocks:
        raise FormatError(f"{where}: is empty.")
    return np.concatenate(blocks, axis=-1)


def _parse_or_raise(text: bytes, columns: int, before: int, where: str) -> NDArray[np.int64]:
    numbers = parse(text, columns)
    if numbers is None:
        good = re.compile(rb"[ \t\r]*,".join([rb"[ \t\r]*-?[0-9]{1,18}"] * columns) + rb"[ \t\r]*")
        lines = text.split(b"\n")
        line = next(number for number, each in enumerate(lines, start=before + 1) if not good.fullmatch(each))
        raise _malformed(where, line, columns)
    return numbers


def _malformed(where: str, line: int, columns: int) -> FormatError:
    return FormatError(f"{where}: line {line} must hold {_LINE[columns]}.")


def parse(text: bytes, columns: int) -> NDArray[np.int64] | None:
    """The numbers of whole lines, (lines,) for one column, (2, lines) for two; None when any line is malformed.

    Args:
        text: lines of ``columns`` whole numbers with commas between them, each ended by a newline.
        columns: 1 or 2.
    """
    if text.translate(None, b"0123456789-,\n" + _BLANK) or not text.strip(_BLANK):
        return None
    try:
        rows = np.loadtxt(BytesIO(text.replace(b"\r", b" ")), np.int64, comments=None, delimiter=",", ndmin=2)
    except ValueError:
        return None
    if rows.shape != (text.count(b"\n"), columns):  # blank lines are passed over
        return None
    return rows[:, 0] if columns == 1 else rows.T
