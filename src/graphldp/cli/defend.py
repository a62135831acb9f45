"""``graphldp defend``: find users whose reports look fake, and take their lists away."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.mechanisms import SeedOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import out_help, place
from graphldp.cli.threats import DEFENSE_HELP, TreatmentOption
from graphldp.errors import FormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphldp.reports import Reports
    from graphldp.threats.defenses.verdict import Verdict

EPILOG = """Examples:

graphldp defend poisoned.npz --defense guard-accuracy --out kept.npz --verdicts verdicts.csv

graphldp defend poisoned.npz -d threshold --theta 0.05 --malicious malicious.csv --out kept.npz --json
"""


def defend(
    file: Annotated[Path, typer.Argument(help="A .npz file of reports.", metavar="REPORTS")],
    out: Annotated[Path, typer.Option("--out", "-o", help=out_help("The reports that are left", "kept.npz"))],
    name: Annotated[str, typer.Option("--defense", "-d", help=DEFENSE_HELP)] = "guard-accuracy",
    theta: Annotated[float, typer.Option(help="θ: how often an honest user may be flagged.")] = 0.05,
    treatment: TreatmentOption = None,
    verdicts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a verdict per user: graph,user,score,threshold,flagged.")
    ] = None,
    malicious: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Who is malicious, from 'graphldp attack'; shows how often verdicts are right."
        ),
    ] = None,
    seed: SeedOption = 0,
    as_json: console.JsonOption = False,
) -> None:
    """Judge every user of a reports file, and take flagged reports out.

    'guard-accuracy' protects a model best; 'guard-guarantee' and 'threshold' promise every honest user a probability
    of at most θ to be flagged. Public users are never flagged.

    A model that says how many liars a label withstands promises nothing of what is left: one liar may change who else
    is flagged.
    """
    from graphldp.reports import Reports
    from graphldp.threats.named import make_defense

    chosen = make_defense(name, theta=theta, treatment=treatment)
    reports = Reports.load(file)
    file_out = place(out, "kept.npz", "defend")
    liars = None if malicious is None else _read(malicious, reports)
    kept, verdict = chosen.apply(reports, rng=seed)
    kept.save(file_out)
    if verdicts is not None:
        _write(verdicts, reports, verdict)
    flagged = verdict.flagged
    per_graph = reports.graph_of_user[flagged]
    row: dict[str, Any] = {
        "file": str(file_out),
        "defense": repr(chosen),
        "users": reports.num_users,
        "flagged_users": int(flagged.sum()),
        "graphs_with_flagged_users": len(set(per_graph.tolist())),
        "graphs_left_empty": _emptied(reports, flagged),
    }
    if liars is not None:
        row |= {"malicious_flagged": _share(verdict, liars), "honest_flagged": _share(verdict, ~liars)}
    console.show_one(row, as_json=as_json)


def _emptied(reports: Reports, flagged: NDArray[np.bool_]) -> int:
    """Graphs all of whose users were flagged."""
    import numpy as np

    count = np.bincount(reports.graph_of_user[flagged], minlength=reports.num_graphs)
    return int(((count == reports.sizes) & (count > 0)).sum())


def _share(verdict: Verdict, users: NDArray[np.bool_]) -> float | None:
    return verdict.rate(users) if users.any() else None


def _read(path: Path, reports: Reports) -> NDArray[np.bool_]:
    import numpy as np

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


def _write(path: Path, reports: Reports, verdict: Verdict) -> None:
    graphs = reports.graph_ids[reports.graph_of_user].tolist()
    columns = reports.local_users.tolist(), verdict.score.tolist(), verdict.threshold.tolist(), verdict.flagged.tolist()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("graph", "user", "score", "threshold", "flagged"))
        writer.writerows(
            (graph, user, f"{score:.6g}", f"{threshold:.6g}", int(flagged))
            for graph, user, score, threshold, flagged in zip(graphs, *columns, strict=True)
        )
