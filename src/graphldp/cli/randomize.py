"""``graphldp randomize``: raw graphs in, noisy reports out."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.names import (
    EPSILON,
    MECHANISM,
    PUBLIC,
    SEED,
    named_mechanism,
    private_epsilon,
)
from graphldp.cli.shared import console
from graphldp.cli.shared.options import AddressOption, EngineName, RootOption, SourceArgument, out_help, place
from graphldp.errors import DataError, bad_parameter

if TYPE_CHECKING:
    from graphldp.mechanisms import Mechanism

app = typer.Typer()
EPILOG = """Examples:
graphldp randomize REDDIT-BINARY --mechanism dprr --epsilon 1 --public-fraction 0.2 --seed 0 --out reports.npz
graphldp randomize synthetic:threads -m 'dprr alpha=0.8 noise=discrete' -e 0.5 --out reports.npz --json
graphldp randomize edges.parquet --engine ray --nodes 3072441 --epsilon 1 --out noisy
"""


@app.command(epilog=EPILOG)
def randomize(
    source: SourceArgument,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="PATH",
            help=out_help("Where to write the reports", "reports.npz") + " With ray: a folder.",
        ),
    ],
    mechanism: Annotated[str, MECHANISM] = "dprr",
    epsilon: Annotated[float, EPSILON] = 1.0,
    public_fraction: Annotated[float, PUBLIC] = 0.0,
    seed: Annotated[int, SEED] = 0,
    engine: Annotated[
        EngineName, typer.Option(help="In memory, or ray: one large graph as Parquet edge lists, in parts.")
    ] = EngineName.local,
    address: AddressOption = None,
    nodes: Annotated[int | None, typer.Option(min=1, metavar="N", help="With ray: how many users there are.")] = None,
    directed: Annotated[bool, typer.Option("--directed", help="With ray: edges have a direction.")] = False,
    root: RootOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Draw one noisy report for every user, and say what was promised to whom.

    A report is a noisy degree, a noisy list of friends or both, or counts by group: 'graphldp mechanism' says which,
    and which settings may follow its name. The file holds the reports, the labels, and each user's ε. It holds no raw
    edge of a private user and no seed.

    A graph too large for memory goes in as Parquet files with columns source and target, and comes out as a folder of
    Parquet files with every user's noisy list: the same lists as in memory for the same seed.
    """
    from graphldp.cli.shared.options import open_source
    from graphldp.graphs import GraphSet
    from graphldp.mechanisms.named import named

    name, options = named_mechanism(mechanism)
    record = named(name)
    if engine is EngineName.ray:
        if public_fraction:
            raise bad_parameter("public-fraction", "--engine ray", "0: one ε for all", public_fraction)
        _in_parts(source, out, record.make(epsilon, **options), seed, nodes, directed, address, as_json)
        return
    graphs = open_source(source, root)
    if not isinstance(graphs, GraphSet):
        raise DataError(f"{source}: holds reports, which are noisy already; give raw graphs.")
    chosen = record.make(private_epsilon(graphs, epsilon, public_fraction, seed), **options)
    file = place(out, "reports.npz", "randomize")
    began = perf_counter()
    with console.err.status("drawing (the first large draw after installing also compiles, for some seconds)"):
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
