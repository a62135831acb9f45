"""The section about single users: the numbers of the rows, a picture, and words that fit."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from graphldp.experiments.compute import compute
from graphldp.experiments.draws import Context
from graphldp.experiments.plans.plan import make_plan
from graphldp.experiments.results import ResultsFile
from graphldp.pages.page import make_page


def test_the_page_shows_what_was_computed(tmp_path: Path) -> None:
    """Counts at two ε and a control of both splits; nothing else."""
    plan = make_plan("nodes-side-by-side", "synthetic:communities", Context(), effort="smoke")
    some = [e for e in plan.entries if (e.series, e.x) in {("friend-counts", 1.0), ("friend-counts", 2.0)}]
    some += [e for e in plan.entries if e.series == "node-features"]
    with ResultsFile(tmp_path / "r.sqlite") as table:
        table.add_plan(plan)
        for row in compute([entry.cell for entry in some], Context()):
            table.add(row)
        rows = table.rows()
        page, charts = make_page(table)
        table.add_plan(make_plan("degrees", "synthetic:threads", Context(), effort="smoke"))
        both, _ = make_page(table)
    for place in (("friend-counts", 1.0), ("friend-counts", 2.0), ("node-features", None)):
        own = [rows[e.cell.id].numbers["accuracy"] for e in some if (e.series, e.x) == place]
        assert f"{np.mean(own):.3f} [" in page
    assert page.count("not yet") >= 4
    assert "<h1>Classes of single users: synthetic:communities</h1>" in page
    assert "300 test users" in page
    assert "Effort smoke, 2 splits." in page
    titles = re.findall("<h2>(.*?)</h2>", both)
    assert ["synthetic:threads" in title for title in titles[:2]] == [True, False]  # graphs before single users
    (picture,) = charts.values()
    assert "FriendCounts" in picture
    assert "features alone" in picture
