from __future__ import annotations

import json

import pytest

from graphldp.errors import FormatError
from graphldp.experiments import cells
from graphldp.experiments.cells import Cell, Row


def test_a_cell_is_known_by_what_it_computes() -> None:
    one = Cell.of("dataset", dataset="A", seed=1)
    assert one == Cell.of("dataset", seed=1, dataset="A")
    assert one.id == Cell.of("dataset", seed=1, dataset="A").id
    assert one.id != Cell.of("degrees", dataset="A", seed=1).id
    assert one.id != Cell.of("dataset", dataset="A", seed=2).id
    assert one.params == {"dataset": "A", "seed": 1}


def test_another_results_version_is_another_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Cell.of("dataset", dataset="A").id
    monkeypatch.setattr(cells, "RESULTS_VERSION", 99)
    assert Cell.of("dataset", dataset="A").id != before


def test_a_row_survives_its_line() -> None:
    row = Row(Cell.of("dataset", dataset="A"), "done", {"graphs": 3}, 1.5, 100, {"cpu": "x"}, "")
    assert Row.from_json(row.to_json(), "f") == row


def line(**changed: object) -> str:
    row = json.loads(Row(Cell.of("dataset", dataset="A"), "done").to_json())
    return json.dumps(row | changed)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not a row"),
        ("{}", "not a row"),
        ("[" * 100_000, "not a row"),
        (line(version=0), "version 0"),
        (line(status="fine"), "status"),
    ],
)
def test_bad_lines_are_refused(text: str, says: str) -> None:
    with pytest.raises(FormatError, match=f"rows.jsonl, line 3: .*{says}"):
        Row.from_json(text, "rows.jsonl, line 3")
