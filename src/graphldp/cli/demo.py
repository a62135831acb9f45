"""``graphldp demo`` and ``bench``: what there is on embedded data, and how fast it is beside PyTorch Geometric."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import Progress

from graphldp.cli.shared import console
from graphldp.cli.shared.options import RootOption, check_folder, folder, folder_help, need, need_learn
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.collector.community import Community
    from graphldp.collector.storage.operating.results import Prediction
    from graphldp.experiments.service.live import Person

app = typer.Typer()
DEMO_EPILOG = """Examples:
graphldp demo
graphldp demo --out somewhere --json
graphldp demo --live --keep
"""


DATASET, USERS = "synthetic:threads", "synthetic:communities"


@app.command(epilog=DEMO_EPILOG)
def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help=folder_help("the results and the page"))
    ] = Path("demo"),
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
        run_live(out, keep=keep, as_json=as_json)
        return
    need("learn", "demo")
    from graphldp.cli.reproduce import compute
    from graphldp.experiments.draws import Context, load
    from graphldp.experiments.plans.plan import make_plan
    from graphldp.experiments.results import ResultsFile
    from graphldp.experiments.runs.demo import drawn, mechanisms_of, trained_beside
    from graphldp.experiments.runs.runner import missing
    from graphldp.experiments.summary import accuracies
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
        with console.err.status("drawing"):
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


def run_live(out: Path, *, users: int | None = None, keep: bool, as_json: bool = False) -> None:
    """Start a collector and clients, collect, train, label, and show how many labels are right.

    Args:
        out: everything is written to a new folder in here.
        users: about how many; ``live.USERS`` by default.
        keep: leave the dashboard running until Ctrl-C.
        as_json: JSON instead of a table.
    """
    need_learn("demo --live")
    from graphldp.cli.collect.store import open_database
    from graphldp.experiments.service import live

    users = live.USERS if users is None else users
    if users < live.FEWEST:
        raise bad_parameter("users", "the live demo", f"{live.FEWEST} or more", users)
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="live-", dir=out)).resolve()
    database = f"sqlite:///{folder / 'collector.db'}"
    graphs, note = live.communities(users), console.err.print
    store = open_database(database, make=True)
    try:
        with live.collector(database, folder / "collector.log") as (address, process):
            note(f"A collector listens on {address}. {graphs.num_graphs} communities, {graphs.num_users:,} users.")
            people = live.invite(store, graphs, address, folder)
            _watch(people)
            trained, labels = live.learn(store, folder)
            note(f"Trained on {trained.communities} communities, as 'graphldp collect train --defense none' does.")
            if trained.validation is not None and trained.interval is not None:
                low, high = trained.interval
                held_out = f"{trained.validation:.0%} of {trained.held_out} communities that were held out"
                note(f"It labels {held_out} rightly; so few leave it open between {low:.0%} and {high:.0%}.")
            note(f"Simulating the same {live.DRAWS} times, to compare …")
            simulated = live.simulate(graphs, people, live.DRAWS)
            rows = _rows(labels, dict(zip(live.names_of(graphs), live.truth_of(graphs), strict=True)))
            place = _Place(address if keep else "http://127.0.0.1:8470", store.operators.add("demo"), database)
            _show_live(rows, simulated, store.communities()[0].mechanism, place, keep=keep, as_json=as_json)
            if keep:
                with suppress(KeyboardInterrupt):
                    process.wait()
    finally:
        store.close()


def _watch(people: Sequence[Person]) -> None:
    """Let everyone report, behind a bar."""
    from graphldp.experiments.service.live import report

    with Progress(console=console.err, disable=not console.err.is_terminal) as progress:
        line = progress.add_task("Clients join and report", total=len(people))
        report(people, lambda: progress.advance(line))
    reported = sum(person.reports for person in people)
    console.err.print(f"{len(people):,} clients joined, {reported:,} reported; the others never will, as in life.")


def _rows(labels: Sequence[tuple[Community, Prediction]], truth: Mapping[str, int]) -> list[dict[str, Any]]:
    from graphldp.experiments.service.live import KINDS

    return [
        {
            "community": community.id,
            "predicted": KINDS[given.label],
            "confidence": given.confidence,
            "reported": f"{given.reported} of {community.n}",
            "truth": KINDS[truth[community.id]],
        }
        for community, given in labels
    ]


@dataclass(frozen=True)
class _Place:
    """The dashboard's address, and the key that opens it."""

    address: str
    key: str
    database: str

    @property
    def dashboard(self) -> str:
        return f"{self.address}/dashboard"


def _show_live(
    rows: list[dict[str, Any]], simulated: list[float], mechanism: str, place: _Place, *, keep: bool, as_json: bool
) -> None:
    from graphldp.experiments.service.live import EPSILON, SHOW_ALL
    from graphldp.intervals import share_bounds

    right = sum(row["predicted"] == row["truth"] for row in rows)
    low, high = (float(end) for end in share_bounds(right, len(rows)))
    accuracy = {"right": right, "accuracy": right / len(rows), "low": low, "high": high, "simulated": simulated}
    if as_json:
        made = {"mechanism": mechanism, "epsilon": EPSILON, "labels": rows}
        console.show_json(
            made | accuracy | {"dashboard": place.dashboard, "key": place.key, "database": place.database}
        )
        return
    console.show(rows, as_json=False, title=f"Labels of held-out communities, reports by {mechanism}, ε = {EPSILON:g}")
    mean = sum(simulated) / len(simulated)
    said = (
        f"Live: {right} of {len(rows)} are right, {right / len(rows):.2f} ({low:.2f} to {high:.2f} at 95 %); a coin "
        f"would get half.\nSimulated on the same communities, {len(simulated)} draws of the noise: {mean:.2f} on "
        f"average ({min(simulated):.2f} to {max(simulated):.2f}).\n"
        + ("The two agree within the interval.\n\n" if low <= mean <= high else "The two do not agree.\n\n")
    )
    if keep:
        said += f"The dashboard: {place.dashboard}\nThe operator's key, to log in: {place.key}\nCtrl-C ends it."
    else:
        serve = f"graphldp serve --port 8470 --database {place.database} {' '.join(SHOW_ALL)}"
        said += f"The dashboard has ended (--keep leaves it on). To look at it:\n{serve}\n"
        said += f"and open {place.dashboard} with the operator's key {place.key}"
    console.out.print(said, highlight=False, markup=False, soft_wrap=True)


@app.command(epilog="Example: graphldp bench --root data")
def bench(root: RootOption = None, as_json: console.JsonOption = False) -> None:
    """Measure a draw and an epoch of training here, beside PyTorch Geometric in the same run.

    It uses REDDIT-BINARY if this machine has it, and the embedded threads otherwise.
    """
    need_learn("bench")
    from graphldp.experiments.speed import beside_pyg

    rows = []
    with console.err.status("measuring") as status:
        for row in beside_pyg(root):
            rows.append(row)
            status.update(f"measured: {row['what']}")
    console.show(rows, as_json=as_json)
