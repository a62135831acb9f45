"""``graphldp attack``: turn a share of the users of a reports file malicious."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.mechanisms import SeedOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import SplitOption, out_help, place, shares
from graphldp.cli.shared.source import need_learn
from graphldp.cli.threats import ATTACK_HELP, HonestDegreeOption, LiarsOption, WhereOption
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphldp.experiments.trial import Threat
    from graphldp.reports import Reports
    from graphldp.threats.attacks.optimised import Score

EPILOG = """Examples:

graphldp attack reports.npz --attack random --fraction 0.3 --out poisoned.npz --malicious malicious.csv

graphldp attack reports.npz -a all-ones -f 0.5 --split-seed 0 --out poisoned.npz --json

graphldp attack degrees.npz -a fake-hub --liars 1 --split-seed 0 --where test --out poisoned.npz
"""


def attack(
    file: Annotated[Path, typer.Argument(help="A .npz file of reports.", metavar="REPORTS")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help=out_help("Where to write the attacked reports", "poisoned.npz"))
    ],
    fraction: Annotated[
        float | None, typer.Option("--fraction", "-f", help="β: the share of malicious users in a graph.")
    ] = None,
    liars: LiarsOption = None,
    name: Annotated[str, typer.Option("--attack", "-a", help=ATTACK_HELP)] = "random",
    honest_degree: HonestDegreeOption = False,
    split_seed: Annotated[
        int | None,
        typer.Option(help="Attack only graphs that 'graphldp train' uses at this seed; --where says which of them."),
    ] = None,
    where: WhereOption = None,
    split: SplitOption = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The classifier that liars aim at, for attacks that search for the best lie."
        ),
    ] = None,
    malicious: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write who is malicious, one line (graph,user) each.")
    ] = None,
    seed: SeedOption = 0,
    as_json: console.JsonOption = False,
) -> None:
    """Let malicious users rewrite their reports, as in Section 6 of the paper and beyond it.

    Some attacks rewrite lists and others forge degrees; 'graphldp threats' says whose reports each fits.

    For researchers: what would an attack cost a model trained on these reports, and does a defense find it?
    """
    from graphldp.experiments.trial import Threat
    from graphldp.experiments.trials.cases import attack_reports, places
    from graphldp.learn.selection import split_dataset
    from graphldp.reports import Reports

    if (fraction is None) == (liars is None):
        raise bad_parameter("fraction", "graphldp attack", "given, or else --liars", fraction)
    for option, value in (("split", split), ("where", where)):
        if value is not None and split_seed is None:
            raise bad_parameter(option, "graphldp attack", "given together with --split-seed", value)
    threat = Threat.named(
        name, fraction or 0.0, None, forge_degree=not honest_degree, where=where or "train", liars=liars
    )
    reports = Reports.load(file)
    file_out = place(out, "poisoned.npz", "attack")
    graphs = None
    if split_seed is not None:
        graphs = places(split_dataset(reports, split_seed, shares(split, "attack")), threat.where)
    poisoned, turned = attack_reports(reports, threat, seed, graphs, None if model is None else _target(model, threat))
    poisoned.save(file_out)
    if malicious is not None:
        _write(malicious, reports, turned)
    row = {
        "file": str(file_out),
        "attack": str(threat).removeprefix("attack "),
        "attacked_graphs": reports.num_graphs if graphs is None else len(graphs),
        "malicious_users": int(turned.sum()),
        "users": reports.num_users,
        "entries_before": reports.num_entries,
        "entries_after": poisoned.num_entries,
    }
    console.show_one(row, as_json=as_json)


def _target(model: Path, threat: Threat) -> Score:
    """What liars who search aim at."""
    need_learn("attack")
    from graphldp.experiments.aimed import score_of
    from graphldp.learn.saving.loading import load_classifier

    return score_of(load_classifier(model), threat, 0)


def _write(path: Path, reports: Reports, malicious: NDArray[np.bool_]) -> None:
    graphs = reports.graph_ids[reports.graph_of_user[malicious]].tolist()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("graph", "user"))
        writer.writerows(zip(graphs, reports.local_users[malicious].tolist(), strict=True))
