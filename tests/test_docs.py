"""Pages whose tables are written from results."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import graphldp as gl
from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.plan import dataset_id, make_plan
from graphldp.experiments.results import Results

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture(scope="module")
def threats() -> ModuleType:
    spec = importlib.util.spec_from_file_location("threats", DOCS.parent / "tools" / "threats.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_table_of_the_threats_page_has_a_maker(threats: ModuleType) -> None:
    names = re.findall(r"<!-- table ([a-z-]+) -->", (DOCS / "threats.md").read_text())
    probes = {"quarter", "law", "columns"}
    assert len(names) == len(set(names))
    assert set(names) == set(threats.TABLES) | probes


def test_the_tables_hold_what_was_computed(threats: ModuleType, tmp_path: Path) -> None:
    """Two lines of the first panel on eighty threads; what is not computed is a dash."""
    gl.synthetic.threads(num_graphs=80, seed=0).save(tmp_path / "threads.npz")
    name, files = dataset_id(str(tmp_path / "threads.npz"))
    context = Context(files=tuple(files.items()), memory=1 << 33)
    plans = [make_plan(each, name, context, effort="smoke", seeds=1) for each in ("poisoning", "poisoning-beyond")]
    wanted = {("random", f"degrees {defense}", 0.1) for defense in ("none", "guard-accuracy redraw")}
    chosen = [entry.cell for entry in plans[1].entries if (entry.panel, entry.series, entry.x) in wanted]
    with Results(tmp_path / "results.sqlite") as table:
        for plan in plans:
            table.add_plan(plan)
        rows = list(compute(chosen, context))
        for row in rows:
            table.add(row)
    page = tmp_path / "page.md"
    page.write_text(
        "Before.\n\n<!-- table goals -->\nold\n<!-- end -->\n\n<!-- table law -->\n\nkept\n\n<!-- end -->\n"
    )
    threats.fill(page, tmp_path / "results.sqlite")
    text = page.read_text()
    assert text.startswith("Before.")
    assert "old" not in text
    assert "kept" in text
    line = next(each for each in text.splitlines() if each.startswith("| random | 0.1 |"))
    numbers = {row.cell.params["defense"]: row.numbers for row in rows}
    cells = [each.strip() for each in line.strip("|").split("|")]
    assert cells[2:5] == ["–"] * 3
    assert cells[5:7] == [f"{numbers[each]['accuracy']:.3f}" for each in ("none", "guard-accuracy")]
    assert cells[8] == f"{numbers['guard-accuracy']['detected']:.3f}"
    assert cells[9] == f"{numbers['guard-accuracy']['false_positives']:.2%}"
    for name in threats.TABLES:
        page.write_text(f"<!-- table {name} --><!-- end -->")
        threats.fill(page, tmp_path / "results.sqlite")
        assert page.read_text().count("\n| ") >= 2 or name == "areas"
