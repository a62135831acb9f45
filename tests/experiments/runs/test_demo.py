from __future__ import annotations

import graphldp as gl
from graphldp.experiments.runs.demo import drawn, mechanisms_of
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
