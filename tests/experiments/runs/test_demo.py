from __future__ import annotations

import pytest
from tests.experiments.conftest import MakePlan

import graphldp as gl
from graphldp.experiments.draws import Context
from graphldp.experiments.engines.local import HereEngine
from graphldp.experiments.runs import demo
from graphldp.experiments.runs.demo import drawn, mechanisms_of, trained_beside
from graphldp.mechanisms.named import mechanisms


def test_every_mechanism_is_shown_with_what_it_spends() -> None:
    graphs = gl.synthetic.threads(num_graphs=10, seed=0)
    rows = {name: drawn(graphs, name, each) for name, each in mechanisms_of(graphs).items()}
    shown = [each for each in mechanisms() if each.plain]
    assert list(rows) == [each.label for each in shown]
    for each in shown:
        row = rows[each.label]
        assert row["reported entries"] == round(row["noisy mean degree"] * graphs.num_users)
        assert (row["ε₂"] == "public") == (each.name == "nonpriv-full")
    assert rows["RR"]["ε₂"] == "1"
    assert rows["NonPriv-Full"]["reported entries"] == graphs.num_entries


def test_beside_the_draws_it_trains_on_what_needs_none(
    plan_of: MakePlan, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "LocalEngine", lambda _: HereEngine())
    cells = list({entry.cell.id: entry.cell for entry in plan_of("side-by-side").entries}.values())
    rows = list(trained_beside(cells, context))
    assert rows
    assert {(row.status, row.cell.kind, row.cell.params["draw"]["seed"]) for row in rows} == {
        ("done", "accuracy", None)
    }
    assert not list(trained_beside([], context))
