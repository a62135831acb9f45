"""What values show of themselves in a notebook, which people share."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np

import graphldp as gl

GRAPHS = gl.GraphSet.from_edges([0, 1, 2, 4], [1, 2, 3, 5], [4, 3], labels=[0, 1], name="<b>mine</b>")


def cells(html: str) -> dict[str, str]:
    HTMLParser().feed(html)
    return dict(re.findall(r"<th[^>]*>([^<]*)</th><td[^>]*>([^<]*)</td>", html))


def test_raw_graphs_show_sizes_alone() -> None:
    shown = GRAPHS._repr_html_()
    assert cells(shown) == {"graphs": "2", "users": "7", "users of a graph": "3 to 4", "classes": "2"}
    assert "<b>" not in shown
    other = gl.GraphSet.from_edges([0], [1], [4, 3], labels=[0, 1], name="<b>mine</b>")
    assert other._repr_html_() == shown  # whatever the edges are


def test_reports_say_how_they_were_drawn_and_what_they_promise() -> None:
    reports = gl.NoisyDegrees(2.0).randomize(GRAPHS, rng=0)
    shown = reports._repr_html_()
    assert cells(shown)["drawn by"].startswith("noisy-degrees(")
    assert cells(shown)["d* released"] == "yes"
    assert "Edge LDP: 7 private users, ε = 2 each." in shown
    assert reports.guarantee._repr_html_() in shown


def test_a_budget_is_one_number_or_a_span() -> None:
    shown = cells(gl.Budget(0.25, 0.75)._repr_html_())
    assert shown == {"ε₁, for the degree": "0.25", "ε₂, for the edges": "0.75", "ε, at most": "1"}
    many = cells(gl.Budget(np.array([0.1, 0.2, np.inf]), np.array([0.0, 0.0, np.inf]))._repr_html_())
    assert many["ε₁, for the degree"] == "0.1 to 0.2, and 1 public users"
    assert gl.Budget(np.inf, np.inf)._repr_html_().count("public") == 3
