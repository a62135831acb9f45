"""Where a dataset is: the folders that are looked into. Nothing here reads one, so that listing them is quick."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from graphldp.datasets.registry import NODE_DATASETS, check_name
from graphldp.errors import bad_parameter


@dataclass(frozen=True)
class Found:
    """Where a dataset is.

    Args:
        place: "root", "$GRAPHLDP_DATA" or "cache".
        path: the archive or the unpacked folder.
    """

    place: str
    path: Path


def locate(name: str, root: str | os.PathLike[str] | None = None) -> Found | None:
    """Where the dataset's archive or folder is, or None."""
    check_name(name, "load_dataset")
    for place, folder in places(root):
        if (single := _single(folder, name)) is not None:
            return Found(place, single)
        if (archive := folder / f"{name}.zip").is_file():
            return Found(place, archive)
        # PyTorch Geometric keeps the same files in NAME/raw
        for unpacked in (folder / name / "raw", folder / name):
            if unpacked.is_dir():
                return Found(place, unpacked)
    return None


def _single(folder: Path, name: str) -> Path | None:
    """The file of a dataset for node classification in a data root, or None."""
    places = (folder / "nodes" / f"{name}.npz", folder / f"{name}.npz")
    return next((path for path in places if name in NODE_DATASETS and path.is_file()), None)


def cache_folder() -> Path:
    """``$GRAPHLDP_CACHE``, or the user's cache folder for graphldp. All of it can be deleted at any time."""
    if given := os.environ.get("GRAPHLDP_CACHE"):
        return Path(given)
    import platformdirs  # a far machine that only trains may lack it

    return platformdirs.user_cache_path("graphldp", appauthor=False)


def archives() -> Path:
    """Where downloads go, unless a folder of one's own is given."""
    return cache_folder() / "datasets"


def places(root: str | os.PathLike[str] | None) -> list[tuple[str, Path]]:
    """The folders that are looked into, in this order, and what each is called."""
    found = []
    if root is not None:
        folder = Path(root)
        if folder.exists() and not folder.is_dir():
            raise bad_parameter("root", "load_dataset", "a folder", str(folder))
        found.append(("root", folder))
    if shared := os.environ.get("GRAPHLDP_DATA"):
        found.append(("$GRAPHLDP_DATA", Path(shared)))
    return [*found, ("cache", archives())]
