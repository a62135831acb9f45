"""``graphldp attack`` and ``defend``: turn users malicious, and find whose reports look fake."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphldp.cli.names import (
    ATTACK,
    DEFENSE,
    LIARS,
    SEED,
    WHERE,
    given_defense,
    given_threat,
)
from graphldp.cli.shared import console
from graphldp.cli.shared.options import SPLIT, out_help, place, shares
from graphldp.errors import bad_parameter

app = typer.Typer()
ATTACK_EPILOG = """Examples:
graphldp attack reports.npz --attack random --liars 0.3 --out poisoned.npz --malicious malicious.csv
graphldp attack reports.npz -a 'all-ones degree=honest' --liars 0.5 --split-seed 0 --out poisoned.npz --json
graphldp attack degrees.npz -a fake-hub --liars 1 --split-seed 0 --where test --out poisoned.npz
"""


@app.command(epilog=ATTACK_EPILOG)
def attack(
    file: Annotated[Path, typer.Argument(help="A .npz file of reports.", metavar="REPORTS")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="PATH", help=out_help("Where to write the attacked reports", "poisoned.npz")
        ),
    ],
    liars: Annotated[str | None, LIARS] = None,
    name: Annotated[str, ATTACK] = "random",
    split_seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Attack only graphs that 'graphldp train' uses at this seed; --where says which of them."
        ),
    ] = None,
    where: Annotated[str | None, WHERE] = None,
    split: Annotated[str | None, SPLIT] = None,
    malicious: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write who is malicious, one line (graph,user) each.")
    ] = None,
    seed: Annotated[int, SEED] = 0,
    as_json: console.JsonOption = False,
) -> None:
    """Let malicious users rewrite their reports, as in Section 6 of the paper and beyond it.

    Some attacks rewrite lists and others forge degrees; 'graphldp threat' says whose reports each fits.

    For researchers: what would an attack cost a model trained on these reports, and does a defense find it?
    """
    from graphldp.experiments.trials.cases import attack_reports, places
    from graphldp.learn.selection import split_dataset
    from graphldp.reports import Reports
    from graphldp.threats.defenses.base import write_malicious

    for option, value in (("split", split), ("where", where)):
        if value is not None and split_seed is None:
            raise bad_parameter(option, "graphldp attack", "given together with --split-seed", value)
    threat = given_threat(name, liars, where, None, "graphldp attack")
    assert threat is not None  # noqa: S101  # there is an attack
    reports = Reports.load(file)
    file_out = place(out, "poisoned.npz", "attack")
    graphs = None
    if split_seed is not None:
        graphs = places(split_dataset(reports, split_seed, shares(split, "attack")), threat.where)
    poisoned, turned = attack_reports(reports, threat, seed, graphs)
    poisoned.save(file_out)
    if malicious is not None:
        write_malicious(malicious, reports, turned)
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


DEFEND_EPILOG = """Examples:
graphldp defend poisoned.npz --defense guard-accuracy --out kept.npz --verdicts verdicts.csv
graphldp defend poisoned.npz -d 'threshold theta=0.01' --malicious malicious.csv --out kept.npz --json
"""


@app.command(epilog=DEFEND_EPILOG)
def defend(
    file: Annotated[Path, typer.Argument(help="A .npz file of reports.", metavar="REPORTS")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="PATH", help=out_help("The reports that are left", "kept.npz"))
    ],
    name: Annotated[str, DEFENSE] = "guard-accuracy",
    verdicts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a verdict per user: graph,user,score,threshold,flagged.")
    ] = None,
    malicious: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Who is malicious, from 'graphldp attack'; shows how often verdicts are right."
        ),
    ] = None,
    seed: Annotated[int, SEED] = 0,
    as_json: console.JsonOption = False,
) -> None:
    """Judge every user of a reports file, and take flagged reports out.

    'guard-accuracy' protects a model best; 'guard-guarantee' and 'threshold' promise every honest user a probability
    of at most θ to be flagged: 0.05, or another one as in --defense 'threshold theta=0.01'. Public users are never
    flagged.

    A model that says how many liars a label withstands promises nothing of what is left: one liar may change who else
    is flagged.
    """
    import numpy as np

    from graphldp.reports import Reports
    from graphldp.threats.defenses.base import read_malicious, write_verdicts
    from graphldp.threats.named import make_defense

    kept_name, given = given_defense(name, "graphldp defend", "theta")
    chosen = make_defense(kept_name, theta=given.get("theta", 0.05), treatment=given.get("treatment"))
    reports = Reports.load(file)
    file_out = place(out, "kept.npz", "defend")
    liars = None if malicious is None else read_malicious(malicious, reports)
    kept, verdict = chosen.apply(reports, rng=seed)
    kept.save(file_out)
    if verdicts is not None:
        write_verdicts(verdicts, reports, verdict)
    flagged = verdict.flagged
    count = np.bincount(reports.graph_of_user[flagged], minlength=reports.num_graphs)
    row: dict[str, Any] = {
        "file": str(file_out),
        "defense": repr(chosen),
        "users": reports.num_users,
        "flagged_users": int(flagged.sum()),
        "graphs_with_flagged_users": int((count > 0).sum()),
        "graphs_left_empty": int(((count == reports.sizes) & (count > 0)).sum()),
    }
    if liars is not None:
        for key, users in (("malicious_flagged", liars), ("honest_flagged", ~liars)):
            row[key] = verdict.rate(users) if users.any() else None
    console.show_one(row, as_json=as_json)
