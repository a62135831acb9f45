"""``graphldp randomize``: raw graphs in, noisy reports out."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.mechanisms import (
    AllocationOption,
    AlphaOption,
    CategoriesOption,
    EpsilonOption,
    HighOption,
    LowOption,
    MechanismOption,
    NoiseOption,
    PublicOption,
    SamplingOption,
    SeedOption,
    make_mechanism,
    private_epsilon,
)
from graphldp.cli.shared import console
from graphldp.cli.shared.options import EngineName, out_help, place
from graphldp.cli.shared.source import HELP
from graphldp.errors import DataError, bad_parameter

if TYPE_CHECKING:
    from graphldp.mechanisms import Mechanism

EPILOG = """Examples:

graphldp randomize REDDIT-BINARY --mechanism dprr --epsilon 1 --public-fraction 0.2 --seed 0 --out reports.npz

graphldp randomize synthetic:threads -m noisy-degrees -e 0.5 --out degrees.npz --json

graphldp randomize edges.parquet --engine ray --nodes 3072441 --epsilon 1 --out noisy
"""


def randomize(
    source: Annotated[str, typer.Argument(metavar="DATASET", help=HELP)],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help=out_help("Where to write the reports", "reports.npz") + " With ray: a folder."
        ),
    ],
    mechanism: MechanismOption = "dprr",
    epsilon: EpsilonOption = 1.0,
    public_fraction: PublicOption = 0.0,
    seed: SeedOption = 0,
    allocation: AllocationOption = None,
    alpha: AlphaOption = None,
    noise: NoiseOption = None,
    sampling: SamplingOption = None,
    categories: CategoriesOption = None,
    low: LowOption = None,
    high: HighOption = None,
    engine: Annotated[
        EngineName, typer.Option(help="In memory, or ray: one large graph as Parquet edge lists, in parts.")
    ] = EngineName.local,
    address: Annotated[str | None, typer.Option(help="A Ray cluster; by default a local one starts.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="With ray: how many users there are.")] = None,
    directed: Annotated[bool, typer.Option("--directed", help="With ray: edges have a direction.")] = False,
    root: Annotated[Path | None, typer.Option(help="A folder of datasets.", metavar="FOLDER")] = None,
    as_json: console.JsonOption = False,
) -> None:
    """Draw one noisy report for every user, and say what was promised to whom.

    A report is a noisy degree, a noisy list of friends or both, or counts by group: 'graphldp mechanisms' says which.
    The file holds the reports, the labels, and each user's ε. It holds no raw edge of a private user and no seed.

    A graph too large for memory goes in as Parquet files with columns source and target, and comes out as a folder of
    Parquet files with every user's noisy list: the same lists as in memory for the same seed.
    """
    from graphldp.cli.shared.source import open_source
    from graphldp.graphs import GraphSet

    options: dict[str, Any] = {"allocation": allocation, "alpha": alpha, "noise": noise, "sampling": sampling}
    options |= {"categories": categories, "low": low, "high": high}
    if engine is EngineName.ray:
        if public_fraction:
            raise bad_parameter("public-fraction", "--engine ray", "0: one ε for all", public_fraction)
        _in_parts(source, out, make_mechanism(mechanism, epsilon, **options), seed, nodes, directed, address, as_json)
        return
    graphs = open_source(source, root)
    if not isinstance(graphs, GraphSet):
        raise DataError(f"{source}: holds reports, which are noisy already; give raw graphs.")
    chosen = make_mechanism(mechanism, private_epsilon(graphs, epsilon, public_fraction, seed), **options)
    file = place(out, "reports.npz", "randomize")
    began = perf_counter()
    with console.err.status("drawing (the first draw after installing also compiles, for up to half a minute)"):
        reports = chosen.randomize(graphs, rng=seed)
    seconds = perf_counter() - began
    reports.save(file)
    users = max(reports.num_users, 1)
    row = {
        "file": str(file),
        "mechanism": str(reports.origin),
        "graphs": reports.num_graphs,
        "users": reports.num_users,
        "true_mean_degree": graphs.num_entries / users,
        "reported_mean_degree": reports.num_entries / users,
        "reported_entries": reports.num_entries,
        "epsilon": _common(reports.guarantee.epsilon),
        "epsilon1": _common(reports.epsilon1),
        "epsilon2": _common(reports.epsilon2),
        "epsilon_columns": _common(reports.guarantee.columns),
        "public_users": reports.guarantee.public_users,
        "relationship_dp": reports.guarantee.relationship_dp,
        "seconds": round(seconds, 4),
    }
    console.show_one(row, as_json=as_json)
    if not as_json:
        console.out.print(f"\n{reports.guarantee}", highlight=False)


def _in_parts(
    source: str,
    out: Path,
    mechanism: Mechanism,
    seed: int,
    nodes: int | None,
    directed: bool,
    address: str | None,
    as_json: bool,
) -> None:
    from graphldp.mechanisms import CategoryRR, FriendCounts, MultiBit, RowMechanism
    from graphldp.mechanisms.parquet import randomize_parquet

    if nodes is None:
        raise bad_parameter(
            "nodes", "--engine ray", "the number of users: an edge list does not say who has none", None
        )
    if isinstance(mechanism, (FriendCounts, MultiBit, CategoryRR)):
        must_be = "about edges; for columns of users call randomize_parquet(…, users=UserTable(…)) from Python"
        raise bad_parameter("mechanism", "--engine ray", must_be, mechanism)
    if not isinstance(mechanism, RowMechanism):
        raise bad_parameter("mechanism", "--engine ray", "one in which every user acts alone", mechanism)
    with console.err.status("drawing, part by part"):
        written = randomize_parquet(Path(source), out, mechanism, seed, nodes, directed=directed, address=address)
    console.show_one({"folder": str(out), "mechanism": repr(mechanism)} | asdict(written), as_json=as_json)


def _common(epsilon: Any) -> float | None:
    """The one finite value that all private users share, or None where there is none."""
    import numpy as np

    values = np.unique(epsilon[np.isfinite(epsilon)])
    return float(values[0]) if len(values) == 1 else None
