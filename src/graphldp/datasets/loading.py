"""Find a dataset's files, or fetch them, and keep the parsed form."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from graphldp.datasets import nodes, tu
from graphldp.datasets.download import TU_URL, download, verify
from graphldp.datasets.places import archives, cache_folder, locate, places
from graphldp.datasets.registry import NODE_DATASETS, check_name, suggestion
from graphldp.errors import DatasetNotFoundError, DownloadError, FormatError
from graphldp.graphs import GraphSet
from graphldp.neighbour_lists import FORMAT


def load_dataset(
    name: str,
    root: str | os.PathLike[str] | None = None,
    *,
    download: bool = True,
    url: str | None = None,
) -> GraphSet:
    """Load a dataset by its name: one of the TU collection, or Cora or FacebookPages (:mod:`graphldp.datasets.nodes`).

    ``NAME.zip`` or an unpacked folder ``NAME/`` is looked for in ``root``, in ``$GRAPHLDP_DATA`` and in a cache folder
    of the user (``$GRAPHLDP_CACHE`` sets another), in this order. If it is in none of them it is downloaded: into
    ``root`` where one is given and can be written, else into the cache. The parsed form is cached too, keyed by the
    files' SHA-256, so that a second load is fast and a changed file is read again.

    Args:
        name: such as "REDDIT-BINARY"; ``graphldp datasets list`` shows the known ones, any TU name will do.
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
            f"There is no {kind} in {looked}.{suggestion(name) or f' To download it: graphldp datasets fetch {name}'}"
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
            f"{name} is not in the TU collection: put {name}.npz into a data root (docs/datasets.md)."
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
        return nodes.read(path, name)
    key = f"{name}-{checked_digest(path, name)[:32]}-{tu.PARSER}.{FORMAT}"
    parsed = cache_folder() / "parsed" / f"{key}.npz"
    with suppress(FormatError, OSError):  # not there yet, or damaged: parse
        return GraphSet.load(parsed)
    graphs = tu.read(path, name)
    with suppress(OSError):  # a cache that cannot be written only costs time
        parsed.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # raw graphs are nobody else's business
        graphs.save(parsed)
    return graphs
