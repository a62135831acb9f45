from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from tests.experiments.here import in_this_process

import graphldp as gl
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import make_plan
from graphldp.experiments.plans.search import GridSearch, Rung
from graphldp.experiments.results import ResultsFile
from graphldp.pages.page import make_page

from .conftest import Command, Files

pytestmark = pytest.mark.usefixtures("few_trees")

FAST = ("--effort", "smoke", "--seeds", "1", "--grid", "layers=2 hidden=4", "--device", "cpu", "--json")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    in_this_process(monkeypatch)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    graphs = gl.synthetic.threads(num_graphs=80, seed=0)
    path = tmp_path / "tiny.npz"
    graphs.subset(graphs.sizes.argsort(kind="stable")[:40]).save(path)
    return path


@pytest.mark.usefixtures("here")
def test_run_and_run_again(command: Command, tmp_path: Path, tiny: Path) -> None:
    given = (
        "table-datasets",
        "degrees",
        "--dataset",
        tiny,
        "--results",
        tmp_path / "r.sqlite",
        "--workers",
        "1",
        *FAST,
    )
    code, out, _ = command("reproduce", *given)
    assert code == 0
    first = json.loads(out)
    assert [(row["experiment"], row["cells"], row["done"]) for row in first] == [
        ("table-datasets", 1, 1),
        ("degrees", 4, 4),
    ]
    code, out, _ = command("reproduce", *given)
    assert (code, json.loads(out)) == (0, first)  # nothing was computed again


@pytest.mark.long
def test_cells_are_left_to_another_machine(
    command: Command,
    tmp_path: Path,
    tiny: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from graphldp.experiments.engines import remote

    monkeypatch.chdir(tmp_path)
    given = ("accuracy-epsilon", "--dataset", tiny, "--results", "my results.sqlite", "--workers", "1", *FAST)
    code, out, err = command("reproduce", *given, "--export", tmp_path / "work")
    assert code == 0
    row = json.loads(out)[0]
    assert row["not done"] == "18 missing"
    assert "18 cells written" in err
    remote.main([str(tmp_path / "work"), "--out", str(tmp_path / "rows.jsonl"), "--device", "cpu", "--at-once", "4"])
    capsys.readouterr()
    code, out, err = command("reproduce", *given, "--take", tmp_path / "rows.jsonl")
    assert code == 0
    assert "18 new rows" in err
    row = json.loads(out)[0]
    assert (row["cells"], row["done"], row["not done"]) == (18, 17, "1 impossible")  # DPRR at ε = 0.2: n is small
    _shows_accuracies_and_the_next_command(command, given[:-1], row["accuracy"][""])


def _shows_accuracies_and_the_next_command(
    command: Command, given: tuple[str | Path, ...], lines: list[dict[str, str | None]]
) -> None:
    """What JSON holds stands in the table, too; and the last line is a command that works as it is printed."""
    code, out, err = command("reproduce", *given)
    assert code == 0
    shown = {cells[0]: cells[1:] for cells in map(_cells, out.splitlines())}
    assert len(lines) == 6  # three mechanisms, no privacy, and two controls
    for line in lines:
        label, *found = (value or "–" for value in line.values())
        assert shown[label] == found
    assert shown["DPRR"][0] == "–"
    assert shown["RR"][0] != "–"
    _, _, printed = err.strip().splitlines()[-1].partition("A page of it: graphldp ")
    assert command(*shlex.split(printed))[0] == 0
    assert "accuracy" in Path("page.html").read_text(encoding="utf-8")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip(" │┃").replace("┃", "│").split("│")]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("figure-17",),
            "'experiment' parameter of graphldp reproduce must be one of table-datasets, table-complexity",
        ),
        (("degrees", "--dataset", "NOWHERE"), "There is no NOWHERE.zip and no folder NOWHERE"),
        (("degrees", "--dataset", "none.npz"), "none.npz: there is no such file."),
        (("degrees", "--effort", "heroic"), "'heroic' is not one of"),
        (("degrees", "--grid", "depth=3"), "'grid' parameter of graphldp reproduce must be words like layers=3,5"),
        (("degrees", "--grid", "layers=three"), "'grid' parameter of graphldp reproduce"),
        (("degrees", "--address", "auto"), "'address' parameter of graphldp reproduce must be left out without"),
        (("degrees", "--effort", "smoke", "--take", "none.jsonl"), "none.jsonl: there is no such file."),
    ],
)
def test_bad_input(command: Command, tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = command("reproduce", *arguments, "--results", tmp_path / "r.sqlite", "--device", "cpu")
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_damaged_results_file(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    path.write_text("these are not the results you are looking for " * 50)
    code, _, err = command("reproduce", "degrees", "--effort", "smoke", "--results", path)
    assert code == 2
    assert "r.sqlite: not a graphldp results file, or damaged." in err


def test_ray_missing(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    arguments = ("degrees", "--effort", "smoke", "--engine", "ray", "--results", tmp_path / "r.sqlite")
    code, _, err = command("reproduce", *arguments)
    assert code == 2
    assert "pip install 'graphldp[ray]'" in err


def test_a_mechanism_of_one_s_own_is_compared_and_drawn(command: Command, files: Files, tmp_path: Path) -> None:
    """It goes to worker processes by its file, and onto the page by its name."""
    own = f"{Path(__file__).parents[2] / 'examples' / 'own_mechanism.py'}:HalfResponse"
    results = tmp_path / "results.sqlite"
    smoke = ("--effort", "smoke", "--dataset", files.graphs, "--results", results, "--device", "cpu")
    code, printed, error = command("reproduce", "degrees", *smoke, "-m", own, "--workers", "1", "--json")
    assert code == 0, error
    (row,) = json.loads(printed)
    assert row["done"] == row["cells"] == 5  # the distribution, the paper's three, and one's own
    with ResultsFile(results) as table:
        text, _ = make_page(table)
    assert "HalfResponse" in text
    assert "var(--spare-" in text
    assert str(Path(__file__).parents[2]) not in text


def test_a_mechanism_that_is_not_there(command: Command, files: Files, tmp_path: Path) -> None:
    smoke = ("--effort", "smoke", "--dataset", files.graphs, "--results", tmp_path / "results.sqlite")
    code, _, error = command("reproduce", "degrees", *smoke, "-m", "nowhere.py:Own")
    assert code == 2
    assert error.count("\n") == 1
    assert "a class in a file that exists" in error


def test_the_help_names_every_experiment(command: Command) -> None:
    _, shown, _ = command("reproduce", "--help")
    assert not [name for name in EXPERIMENTS if name not in shown]


@pytest.mark.usefixtures("here")
def test_a_search_grows_until_it_is_done(
    command: Command, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rungs = (Rung("short", seeds=1, keep=1, most_epochs=2), Rung("whole", seeds=1))
    before = (("layers", 2), ("hidden", 4), ("lr", 0.1), ("dropout", 0.0))
    monkeypatch.setitem(
        EXPERIMENTS, "grid", GridSearch("A search", methods=("nonpriv-full",), rungs=rungs, before=before)
    )
    results = tmp_path / "results.sqlite"
    smoke = ("--effort", "smoke", "--seeds", 1, "--dataset", files.graphs, "--results", results, "--device", "cpu")
    grid = ("--grid", "layers=2,3 hidden=4 lr=0.01", "--workers", "1", "--json")
    code, printed, error = command("reproduce", "grid", *smoke, *grid)
    assert code == 0, error
    (row,) = json.loads(printed)
    assert (row["cells"], row["done"]) == (4, 4)  # as before, two briefly, the better one to the end
    with ResultsFile(results) as table:
        text, _ = make_page(table)
    assert "layers 3, hidden 4, lr 0.01, dropout 0" in text or "layers 2, hidden 4, lr 0.01, dropout 0" in text
    assert "layers 2, hidden 4, lr 0.1, dropout 0" not in text  # the shared point is no one's own


def test_a_page_and_its_figures(command: Command, tmp_path: Path) -> None:
    with ResultsFile(tmp_path / "r.sqlite") as table:
        table.add_plan(make_plan("accuracy-lambda", "synthetic:threads", Context(), effort="smoke"))
    page = tmp_path / "page.html"
    given = ("page", tmp_path / "r.sqlite", "--out", page, "--figures", tmp_path / "figures", "--json")
    code, out, _ = command(*given)
    assert code == 0
    assert json.loads(out) == {"page": str(page), "charts": 2, "bytes": page.stat().st_size}
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == [
        "accuracy-lambda-synthetic-threads-smoke-accuracy.svg",
        "accuracy-lambda-synthetic-threads-smoke-auc.svg",
    ]


def test_a_page_of_bad_input(command: Command, tmp_path: Path) -> None:
    assert command("page", tmp_path / "none.sqlite") == (
        2,
        "",
        f"graphldp: {tmp_path}/none.sqlite: there is no such results file.\n",
    )
    with ResultsFile(tmp_path / "empty.sqlite"):
        pass
    code, _, err = command("page", tmp_path / "empty.sqlite", "--out", tmp_path / "page.html")
    assert code == 2
    assert "holds no experiment yet" in err
    assert not (tmp_path / "page.html").exists()
    with ResultsFile(tmp_path / "some.sqlite") as table:
        table.add_plan(make_plan("degrees", "synthetic:threads", Context(), effort="smoke"))
    code, _, err = command("page", tmp_path / "some.sqlite", "--out", tmp_path / "none" / "page.html")
    assert code == 2
    assert "there is no such folder" in err
