"""``graphldp demo``: the whole story on the embedded dataset, in about two minutes."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.options import folder, folder_help
from graphldp.cli.shared.source import need
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.graphs import GraphSet
    from graphldp.mechanisms import Mechanism

EPILOG = """Examples:

graphldp demo

graphldp demo --out somewhere --json

graphldp demo --live --keep
"""
DATASET = "synthetic:threads"


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help=folder_help("the results and the page"))] = Path("demo"),
    live: Annotated[
        bool, typer.Option("--live", help="Instead: a collector and 1,000 clients here, from invitations to labels.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the live dashboard running until Ctrl-C.")] = False,
    as_json: console.JsonOption = False,
) -> None:
    """Noise 300 invented discussion threads in every way, train on them, and end with a table, pictures and a page.

    Nothing is downloaded. Interrupt it and run it again: what is finished is not computed twice.
    """
    if keep and not live:
        raise bad_parameter("keep", "graphldp demo", "given together with --live", keep)
    out = folder(out, "demo")
    if live:
        from graphldp.cli import demo_live

        demo_live.run(out, keep=keep, as_json=as_json)
        return
    need("learn", "demo")
    from graphldp.cli.reproduce import compute
    from graphldp.experiments.draws import Context, load
    from graphldp.experiments.plans.plan import make_plan
    from graphldp.experiments.results import ResultsFile
    from graphldp.files import written_whole
    from graphldp.pages.page import make_page

    context = Context(device="cpu")
    graphs = load(DATASET, context)
    note = console.err.print
    note(f"{graphs.num_graphs} discussion threads of two kinds, {graphs.num_users:,} users. Each sends one noisy list.")
    drawn = [_drawn(graphs, name, each) for name, each in _mechanisms(graphs).items()]
    if not as_json:
        console.show(drawn, as_json=False, title="What users send, ε = 1 (λ = 0.2 for NonPriv-Part)")
    note("Training on the lists at ε = 0.2, 0.5, 1 and 2, three seeds each, the recipe beside the paper's methods …")
    plans = [make_plan(each, DATASET, context, effort="demo") for each in ("side-by-side", "degrees")]
    results = out / "results.sqlite"
    with ResultsFile(results) as table:
        compute(table, plans, context, None, None, None)
        accuracy = _accuracy(plans[0], table)
        page, _ = make_page(table)
    with written_whole(out / "page.html") as file:
        file.write(page.encode())
    if as_json:
        console.show_one({"drawn": drawn, "accuracy": accuracy, "page": str(out / "page.html")}, as_json=True)
        return
    console.show(accuracy, as_json=False, title="Test accuracy, mean ± standard deviation over three seeds")
    console.out.print(f"\nThe page with the pictures: {out / 'page.html'}", highlight=False)


def _mechanisms(graphs: GraphSet) -> dict[str, Mechanism]:
    from graphldp.mechanisms import NonPrivPart, customized
    from graphldp.mechanisms.named import mechanisms

    some_public = customized(graphs, epsilon=1.0, public_fraction=0.2, rng=0)
    made = {}
    for each in mechanisms():
        options = {"sampling": 0.05} if "sampling" in each.options else {}
        made[each.label] = each.make(some_public if each.kind is NonPrivPart else 1.0, **options)
    return made


def _drawn(graphs: GraphSet, name: str, mechanism: Mechanism) -> dict[str, Any]:
    mechanism.randomize(graphs[:1] if isinstance(mechanism.epsilon, float) else graphs, rng=0)  # compiles
    began = perf_counter()
    reports = mechanism.randomize(graphs, rng=0)
    seconds = perf_counter() - began
    return {
        "mechanism": name,
        "true mean degree": graphs.num_entries / graphs.num_users,
        "noisy mean degree": reports.num_entries / graphs.num_users,
        "reported entries": reports.num_entries,
        "ε₁": _spent(reports.epsilon1),
        "ε₂": _spent(reports.epsilon2),
        "seconds": round(seconds, 4),
    }


def _spent(epsilon: Any) -> str:
    """The private users' ε, or that all are public."""
    finite = epsilon[epsilon < float("inf")]
    return f"{finite.max():.3g}" if len(finite) else "public"


def _accuracy(plan: Any, table: Any) -> list[dict[str, Any]]:
    """One row for each method, one column for each ε."""
    from graphldp.experiments.plans.figures import method_label
    from graphldp.experiments.summary import points_of

    points = points_of(plan, table.rows())
    columns = sorted({point.x for point in points if point.x is not None})
    rows: dict[str, dict[str, Any]] = {}
    for point in points:
        row = rows.setdefault(point.series, {"": method_label(point.series)} | {f"ε = {x:g}": None for x in columns})
        found = point.summary("accuracy")
        shown = None if found is None else f"{found.mean:.3f} ± {found.std:.3f}"
        for x in columns if point.x is None else (point.x,):
            row[f"ε = {x:g}"] = shown
    return list(rows.values())
