"""``graphldp demo``: the whole story on the embedded dataset, in about two minutes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.options import check_folder, folder, folder_help
from graphldp.cli.shared.source import need
from graphldp.errors import bad_parameter

EPILOG = """Examples:

graphldp demo

graphldp demo --out somewhere --json

graphldp demo --live --keep
"""
DATASET, USERS = "synthetic:threads", "synthetic:communities"


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help=folder_help("the results and the page"))] = Path("demo"),
    live: Annotated[
        bool, typer.Option("--live", help="Instead: a collector and 5,000 clients here, from invitations to labels.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the live dashboard running until Ctrl-C.")] = False,
    as_json: console.JsonOption = False,
) -> None:
    """Add every kind of noise to 300 invented discussion threads, train on them, and show tables, pictures and a page.

    Then label the users of one invented network, who count their friends by group or list them.

    Nothing is downloaded. After an interruption, run it again: what is finished is not computed twice.
    """
    if keep and not live:
        raise bad_parameter("keep", "graphldp demo", "given together with --live", keep)
    check_folder(out, "demo")
    if live:
        from graphldp.cli import demo_live

        demo_live.run(out, keep=keep, as_json=as_json)
        return
    need("learn", "demo")
    from graphldp.cli.reproduce import compute
    from graphldp.experiments.accuracies import accuracies
    from graphldp.experiments.draws import Context, load
    from graphldp.experiments.plans.plan import make_plan
    from graphldp.experiments.results import ResultsFile
    from graphldp.experiments.runs.demo import drawn, mechanisms_of, trained_beside
    from graphldp.experiments.runs.runner import missing
    from graphldp.files.whole import written_whole
    from graphldp.pages.page import make_page

    out = folder(out, "demo")
    context = Context(device="cpu")
    graphs = load(DATASET, context)
    note = console.err.print
    note(
        f"{graphs.num_graphs} discussion threads of two kinds, {graphs.num_users:,} users. Each sends one noisy report."
    )
    plans = [make_plan(each, DATASET, context, effort="demo") for each in ("side-by-side", "degrees")]
    plans.append(make_plan("nodes-side-by-side", USERS, context, effort="demo"))
    results = out / "results.sqlite"
    with ResultsFile(results) as table:
        with console.err.status("drawing (the first time after installing also compiles, for half a minute)"):
            first = trained_beside(missing(plans, table), context)
            sent = [drawn(graphs, name, each) for name, each in mechanisms_of(graphs).items()]
        if not as_json:
            console.show(sent, as_json=False, title="What users send, ε = 1 (λ = 0.2 for NonPriv-Part)")
        note(
            "Training on the reports at ε = 0.2, 0.5, 1 and 2, three seeds each, "
            "the recipe beside the paper's methods …"
        )
        with console.err.status("training on true lists (the first time also compiles)"):
            for row in first:
                table.add(row)
        compute(table, plans, context, None, None)
        accuracy, users = (accuracies(plan, table.rows())[""] for plan in (plans[0], plans[2]))
        page, _ = make_page(table)
    with written_whole(out / "page.html") as file:
        file.write(page.encode())
    if as_json:
        page_file = str(out / "page.html")
        console.show_one({"drawn": sent, "accuracy": accuracy, "users": users, "page": page_file}, as_json=True)
        return
    over = "mean ± standard deviation over three seeds"
    console.show(accuracy, as_json=False, title=f"Test accuracy of labels of threads, {over}")
    console.show(users, as_json=False, title=f"Test accuracy of labels of single users, {over}")
    console.out.print(f"\nThe page with the pictures: {out / 'page.html'}", highlight=False)
