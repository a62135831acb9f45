"""``graphldp randomize``: raw graphs in, noisy reports out."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from graphldp.cli import console
from graphldp.cli.mechanisms import (
    AllocationOption,
    AlphaOption,
    EpsilonOption,
    MechanismOption,
    NoiseOption,
    PublicOption,
    SamplingOption,
    SeedOption,
    make_mechanism,
    private_epsilon,
)
from graphldp.cli.source import HELP
from graphldp.errors import DataError

EPILOG = """Examples:

graphldp randomize REDDIT-BINARY --mechanism dprr --epsilon 1 --public-fraction 0.2 --seed 0 --out reports.npz

graphldp randomize synthetic:threads -m noisy-degrees -e 0.5 --out degrees.npz --json
"""


def randomize(
    source: Annotated[str, typer.Argument(metavar="DATASET", help=HELP)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the reports (.npz).")],
    mechanism: MechanismOption = "dprr",
    epsilon: EpsilonOption = 1.0,
    public_fraction: PublicOption = 0.0,
    seed: SeedOption = 0,
    allocation: AllocationOption = "paper",
    alpha: AlphaOption = 0.9,
    noise: NoiseOption = "laplace",
    sampling: SamplingOption = None,
    root: Annotated[Path | None, typer.Option(help="A folder of datasets.", metavar="FOLDER")] = None,
    as_json: console.JsonOption = False,
) -> None:
    """Draw one noisy list of friends for every user, and say what was promised to whom.

    The file holds the noisy lists, the noisy degrees where the mechanism releases them, the labels, and each user's
    ε; it holds no raw edge of a private user and no seed.
    """
    from graphldp.cli.source import open_source
    from graphldp.graphs import GraphSet

    graphs = open_source(source, root)
    if not isinstance(graphs, GraphSet):
        raise DataError(f"{source}: holds reports, which are noisy already; give raw graphs.")
    options: dict[str, Any] = {"allocation": allocation, "alpha": alpha, "noise": noise, "sampling": sampling}
    chosen = make_mechanism(mechanism, private_epsilon(graphs, epsilon, public_fraction, seed), **options)
    began = perf_counter()
    reports = chosen.randomize(graphs, rng=seed)
    seconds = perf_counter() - began
    reports.save(out)
    users = max(reports.num_users, 1)
    row = {
        "file": str(out),
        "mechanism": reports.mechanism,
        "graphs": reports.num_graphs,
        "users": reports.num_users,
        "true_mean_degree": graphs.num_entries / users,
        "reported_mean_degree": reports.num_entries / users,
        "reported_entries": reports.num_entries,
        "epsilon1": _common(reports.epsilon1),
        "epsilon2": _common(reports.epsilon2),
        "public_users": reports.guarantee.public_users,
        "relationship_dp": reports.guarantee.relationship_dp,
        "seconds": round(seconds, 4),
    }
    console.show_one(row, as_json=as_json)
    if not as_json:
        console.out.print(f"\n{reports.guarantee}", highlight=False)


def _common(epsilon: Any) -> float | None:
    """The one finite value that all private users share, or None where there is none."""
    import numpy as np

    values = np.unique(epsilon[np.isfinite(epsilon)])
    return float(values[0]) if len(values) == 1 else None
