"""CSV files of who is malicious, and of what a defense says of each user."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import FormatError
from graphldp.files.whole import write_csv
from graphldp.reports import Reports
from graphldp.threats.defenses.base import Verdict


def write_malicious(path: Path, reports: Reports, malicious: NDArray[np.bool_]) -> None:
    """Write who is malicious, one line for each."""
    graphs = reports.graph_ids[reports.graph_of_user[malicious]].tolist()
    users = reports.local_users[malicious].tolist()
    write_csv(path, ("graph", "user"), ({"graph": g, "user": u} for g, u in zip(graphs, users, strict=True)))


def read_malicious(path: Path, reports: Reports) -> NDArray[np.bool_]:
    """Whether each user is malicious, by a file that :func:`write_malicious` wrote.

    Raises:
        FormatError: for a line about nobody of these reports.
    """
    place = {graph: at for at, graph in enumerate(reports.graph_ids.tolist())}
    chosen = np.zeros(reports.num_users, np.bool_)
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    for number, line in enumerate(lines[1:], 2):
        try:
            graph, user = place[int(line[0])], int(line[1])
        except (ValueError, KeyError, IndexError):
            raise FormatError(f"{path}, line {number}: not a graph and a user of these reports.") from None
        if not 0 <= user < reports.sizes[graph]:
            raise FormatError(f"{path}, line {number}: not a graph and a user of these reports.")
        chosen[reports.graph_ptr[graph] + user] = True
    return chosen


def write_verdicts(path: Path, reports: Reports, verdict: Verdict) -> None:
    """Write a verdict for each user."""
    graphs = reports.graph_ids[reports.graph_of_user].tolist()
    found = zip(graphs, reports.local_users.tolist(), verdict.score, verdict.threshold, verdict.flagged, strict=True)
    columns = ("graph", "user", "score", "threshold", "flagged")
    rows = ((g, u, float(f"{score:.6g}"), float(f"{least:.6g}"), int(flagged)) for g, u, score, least, flagged in found)
    write_csv(path, columns, (dict(zip(columns, row, strict=True)) for row in rows))
