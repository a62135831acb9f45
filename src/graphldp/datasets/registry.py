"""The datasets that graphldp knows by name, what a name of the TU collection may look like, and where files may be.

Nothing here reads a dataset, so that listing them is quick.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from graphldp.errors import bad_parameter

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")


@dataclass(frozen=True)
class KnownDataset:
    """One dataset of the collection, with its published statistics."""

    about: str  # what a graph is, and what its label says
    graphs: int
    classes: int
    nodes_mean: float  # users of a graph
    edges_mean: float
    nodes_max: int | None = None  # where the paper or the data tell, as of the next
    degree_max: int | None = None
    split: tuple[float, float, float] | None = None  # the paper's training, validation and test graphs, if it has any


DEFAULT_SPLIT = (0.75, 0.10, 0.15)
"""Shares of training, validation and test graphs where a dataset has none of its own: the paper's for Reddit."""

NODE_SPLIT = (0.5, 0.25, 0.25)
"""Shares of training, validation and test users of one graph: those of Blink (Zhu, Tan & Xiao, CCS 2023)."""

# The paper's Table 2 swaps the n_max of its two Reddit datasets: 3,782 is REDDIT-BINARY's, as its files show.
KNOWN: dict[str, KnownDataset] = {
    "REDDIT-MULTI-5K": KnownDataset(
        "Reddit threads, users who talked to each other; one of 5 subreddits",
        *(4_999, 5, 508.52, 594.87, 3_648, 2_011, DEFAULT_SPLIT),
    ),
    "REDDIT-BINARY": KnownDataset(
        "Reddit threads, users who talked to each other; question/answer or discussion",
        *(2_000, 2, 429.63, 497.75, 3_782, 3_062, DEFAULT_SPLIT),
    ),
    "github_stargazers": KnownDataset(
        "followers among those who starred a repository; machine learning or web",
        *(12_725, 2, 113.79, 234.64, 957, 755, (0.65, 0.15, 0.20)),
    ),
    "REDDIT-MULTI-12K": KnownDataset(
        "Reddit threads, users who talked to each other; one of 11 subreddits", 11_929, 11, 391.41, 456.89
    ),
    "IMDB-BINARY": KnownDataset(
        "actors who appeared together, around one actor; action or romance", 1_000, 2, 19.77, 96.53, 136, 135
    ),
    "IMDB-MULTI": KnownDataset(
        "actors who appeared together, around one actor; comedy, romance or science fiction",
        *(1_500, 3, 13.00, 65.94),
    ),
    "COLLAB": KnownDataset("researchers who wrote together, around one of them; field", 5_000, 3, 74.49, 2_457.78),
    "deezer_ego_nets": KnownDataset("friends around a user of Deezer; gender", 9_629, 2, 23.49, 65.25),
    "twitch_egos": KnownDataset("friends around a user of Twitch; one game or several", 127_094, 2, 29.67, 86.59),
    "reddit_threads": KnownDataset(
        "Reddit threads, users who talked to each other; discussion or not", 203_088, 2, 23.93, 24.99
    ),
}


@dataclass(frozen=True)
class NodeDataset:
    """One graph of which every user is to be classified."""

    about: str  # who the users are, and what their classes say
    users: int
    features: int  # columns
    edges: int
    classes: int


NODE_DATASETS: dict[str, NodeDataset] = {
    "Cora": NodeDataset("papers that cite each other; one of 7 topics", 2_708, 1_433, 5_278, 7),
    "FacebookPages": NodeDataset("public pages that like each other; one of 4 kinds", 22_470, 4_714, 170_823, 4),
}


def split_ratios(name: str) -> tuple[float, float, float]:
    """The shares of training, validation and test graphs of a dataset: its own in the paper, else the default."""
    entry = KNOWN.get(name)
    return DEFAULT_SPLIT if entry is None or entry.split is None else entry.split


def is_the_papers(name: str) -> bool:
    """Whether the paper's own tables and figures are about this dataset."""
    return name in KNOWN and KNOWN[name].split is not None


def check_name(name: str, owner: str) -> str:
    """Return the name if it could be one of the collection; it becomes part of a path and of an address."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise bad_parameter("name", owner, "the name of a TU dataset (letters, digits, '_', '-', '+', '.')", name)
    return name


def suggestion(name: str) -> str:
    """' Did you mean …?' for what looks like a misspelt known name, else ''."""
    spelled = {known.casefold(): known for known in KNOWN}
    close = difflib.get_close_matches(name.casefold(), spelled, n=1, cutoff=0.7)
    return f" Did you mean {spelled[close[0]]}?" if close and spelled[close[0]] != name else ""


class DatasetPlace(NamedTuple):
    """The place of a dataset: "root", "$GRAPHLDP_DATA" or "cache", and the path of the archive or unpacked folder."""

    place: str
    path: Path


def locate(name: str, root: str | os.PathLike[str] | None = None) -> DatasetPlace | None:
    """The place of the dataset's archive or folder, or None."""
    check_name(name, "load_dataset")
    for place, folder in places(root):
        files = [folder / "nodes" / f"{name}.npz", folder / f"{name}.npz"] if name in NODE_DATASETS else []
        files.append(folder / f"{name}.zip")
        folders = (folder / name / "raw", folder / name)  # PyTorch Geometric keeps the same files in NAME/raw
        for path in (*filter(Path.is_file, files), *filter(Path.is_dir, folders)):
            return DatasetPlace(place, path)
    return None


def cache_folder() -> Path:
    """``$GRAPHLDP_CACHE``, or the user's cache folder for graphldp. All of it can be deleted at any time."""
    if given := os.environ.get("GRAPHLDP_CACHE"):
        return Path(given)
    import platformdirs  # a far machine that only trains may lack it

    return platformdirs.user_cache_path("graphldp", appauthor=False)


def archives() -> Path:
    """The folder where downloads go, unless one's own is given."""
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
