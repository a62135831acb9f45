from __future__ import annotations

import json
from pathlib import Path

from graphldp.experiments.draws import Context
from graphldp.experiments.plans.plan import make_plan
from graphldp.experiments.results import ResultsFile

from .conftest import Command


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


def test_bad_input(command: Command, tmp_path: Path) -> None:
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
