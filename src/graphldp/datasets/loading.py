"""Find a dataset's files, or fetch them, and keep the parsed form."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from graphldp.datasets import tu
from graphldp.datasets.download import TU_URL, download, verify
from graphldp.datasets.registry import NODE_DATASETS, archives, cache_folder, check_name, locate, places, suggestion
from graphldp.errors import DataError, DatasetNotFoundError, DownloadError, FormatError
from graphldp.files.archives import read_arrays
from graphldp.files.whole import written_whole
from graphldp.graphs import GraphSet
from graphldp.neighbour_lists.attributes import Attributes
from graphldp.neighbour_lists.lists import FORMAT

FILES = (".npz", ".csv", ".tsv")
"""How the names of files of graphs end."""

_NODE_PARTS = ("edges", "x_indptr", "x_indices", "x_data", "x_shape", "y")


def read_graphs(source: str) -> GraphSet:
    """Raw graphs from a file: one that ``save`` wrote, a table of edges, or two tables, as in ``edges.csv,labels.csv``.

    See :meth:`graphldp.GraphSet.from_csv` for the tables.
    """
    if source.endswith(".npz"):
        return GraphSet.load(source)
    return GraphSet.from_csv(*files_of(source))


def write_graphs(graphs: GraphSet, path: Path) -> None:
    """Write undirected graphs as ``.npz``, ``.csv`` (an edge list that ``GraphSet.from_csv`` reads) or ``.graphml``."""
    match path.suffix:
        case ".npz":
            graphs.save(path)
        case ".csv":
            with written_whole(path) as file:
                file.write("".join(_lines(graphs)).encode())
        case ".graphml" if graphs.num_graphs == 1:
            import networkx as nx

            net = graphs.to_networkx()[0]
            if graphs.groups is not None:
                nx.set_node_attributes(net, dict(enumerate(graphs.groups.tolist())), "group")
            with written_whole(path) as file:
                nx.write_graphml(net, file)
        case ".graphml":
            raise FormatError(f"{path}: a .graphml file holds one graph, and these are {graphs.num_graphs}.")
        case _:
            raise FormatError(f"{path}: its name must end in .npz, .csv or .graphml.")


def _lines(graphs: GraphSet) -> Iterator[str]:
    """The rows of an edge list: each friendship once, and a row without a target for who has none."""
    yield "graph,source,target\n"
    owner = np.repeat(graphs.local_users, graphs.degrees)
    graph = np.repeat(graphs.graph_of_user, graphs.degrees)
    once = owner < graphs.indices
    for row in zip(graph[once].tolist(), owner[once].tolist(), graphs.indices[once].tolist(), strict=True):
        yield "{},{},{}\n".format(*row)
    alone = graphs.degrees == 0
    for number, user in zip(graphs.graph_of_user[alone].tolist(), graphs.local_users[alone].tolist(), strict=True):
        yield f"{number},{user},\n"


def files_of(source: str) -> list[Path]:
    """The files that :func:`read_graphs` reads."""
    return [Path(source)] if Path(source).exists() else [Path(each) for each in source.split(",", 1)]


def load_dataset(
    name: str,
    root: str | os.PathLike[str] | None = None,
    *,
    download: bool = True,
    url: str | None = None,
) -> GraphSet:
    """Load a dataset by its name: one of the TU collection, or Cora or FacebookPages.

    ``NAME.zip`` or an unpacked folder ``NAME/`` is looked for in ``root``, in ``$GRAPHLDP_DATA`` and in a cache folder
    of the user (``$GRAPHLDP_CACHE`` sets another), in this order. If it is in none of them it is downloaded: into
    ``root`` where one is given and can be written, else into the cache. The parsed form is cached too, keyed by the
    files' SHA-256, so that a second load is fast and a changed file is read again.

    Args:
        name: such as "REDDIT-BINARY"; ``graphldp dataset`` shows the known ones, any TU name will do.
        root: a folder of datasets.
        download: False raises an error instead of using the network.
        url: where archives are downloaded from; ``$GRAPHLDP_TU_URL``, then the public collection, if None.

    Raises:
        DatasetNotFoundError: when the dataset is nowhere.
        DownloadError: when a download fails; nothing half-written stays.
        FormatError: when a file is malformed (naming file and line) or has changed since its download.

    Example::

        graphs = gl.load_dataset("REDDIT-BINARY", root="data")
        graphs.num_graphs, graphs.n_max  # (2000, 3782)
    """
    found = locate(name, root)
    if found is None and not download:
        kind = f"{name}.npz" if name in NODE_DATASETS else f"{name}.zip and no folder {name}"
        looked = ", ".join(str(folder) for _, folder in places(root))
        raise DatasetNotFoundError(
            f"There is no {kind} in {looked}.{suggestion(name) or f' To download it: graphldp dataset {name} --fetch'}"
        )
    path = found.path if found else fetch(name, root, url=url)
    return _read(path, name)


def fetch(name: str, root: str | os.PathLike[str] | None = None, *, url: str | None = None) -> Path:
    """Download the dataset's archive into ``root``, or into the cache folder when that cannot be written.

    A name that looks like a known one misspelt is not asked for. No other name of the collection is that close.
    """
    check_name(name, "load_dataset")
    if meant := suggestion(name):
        raise DatasetNotFoundError(f"{name}: no dataset of this name is known, and none was downloaded.{meant}")
    if name in NODE_DATASETS:
        raise DatasetNotFoundError(
            f"{name} is not in the TU collection: put {name}.npz into a data root (docs/guides/own-graphs.md)."
        )
    address = url or os.environ.get("GRAPHLDP_TU_URL") or TU_URL
    return download(name, _writable([*([Path(root)] if root is not None else []), archives()]), address)


def _writable(folders: list[Path]) -> Path:
    """The first folder that takes a file: asking for permissions instead would lie on read-only mounts."""
    for folder in folders:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
    raise DownloadError(f"Nothing can be written to {' or '.join(map(str, folders))}; set GRAPHLDP_CACHE.")


def checked_digest(path: Path, name: str) -> str:
    """SHA-256 of the files, after comparing it with the one kept at the download, if there was one."""
    digest = tu.digest(path, name)
    verify(path, digest)
    return digest


def _read(path: Path, name: str) -> GraphSet:
    if path.suffix == ".npz":
        return read_nodes(path, name)
    key = f"{name}-{checked_digest(path, name)[:32]}-{tu.PARSER}.{FORMAT}"
    parsed = cache_folder() / "parsed" / f"{key}.npz"
    with suppress(FormatError, OSError):  # not there yet, or damaged: parse
        return GraphSet.load(parsed)
    graphs = tu.read(path, name)
    with suppress(OSError):  # a cache that cannot be written only costs time
        parsed.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # raw graphs are nobody else's business
        graphs.save(parsed)
    return graphs


def read_nodes(path: Path, name: str) -> GraphSet:
    """Read one large graph with features and a class for each user: the benchmarks of node classification.

    ``NAME.npz``, in the data root or in its folder ``nodes``, holds ``edges`` (each once, [edges, 2]), the features
    ``x`` as CSR (``x_indptr``, ``x_indices``, ``x_data``, ``x_shape``) and the classes ``y``. What these documents and
    pages say of themselves is public, features and classes alike. The edges are private.

    Raises:
        FormatError: for a file that is not such a graph, or damaged.
    """
    parts = read_arrays(path, "a graph with features and classes", *_NODE_PARTS, packed=True)
    try:
        held = {f"features_{name.removeprefix('x_')}": parts[name] for name in _NODE_PARTS if name.startswith("x_")}
        columns = Attributes.restored(
            held | {"node_labels": parts["y"], "public_features": True, "public_labels": True}
        )
        edges = parts["edges"].reshape(-1, 2)
        proper = edges[:, 0] != edges[:, 1]
        made = GraphSet.from_edges(edges[proper, 0], edges[proper, 1], [len(parts["y"])], name=name)
        return replace(made, attributes=columns, trusted=True)
    except ValueError as error:
        why = f" ({error})" if isinstance(error, DataError) else ""
        raise FormatError(f"{path}: damaged{why}.") from None
