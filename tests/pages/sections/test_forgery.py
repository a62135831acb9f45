"""The page about forged degrees: every number stands where it belongs, and what is missing is a dash."""

from __future__ import annotations

import re
from typing import cast

from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.kinds import DegreeForgery
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.summary import Point
from graphldp.pages.sections.forgery import accuracies, certificates, forgery_section, points_at, worst_of

PLAN = ExperimentPlan("poisoning-recipe", "tiny", "smoke", 1, "", ())
SPEC = cast("DegreeForgery", EXPERIMENTS["poisoning-recipe"])


def point(series: str, x: float | None, *accuracy: float, panel: str = "recipe, ε = 1", **more: object) -> Point:
    numbers = tuple({"accuracy": each, **more} for each in accuracy)
    return Point(panel, series, x, numbers, (), len(numbers), len(numbers), ())


POINTS = [
    point("recipe-2 nobody", 0.0, 0.9),
    point("recipe-robust-5 nobody", 0.0, 0.89, certified=[[40, 0, 1], [40, 2, 1], [900, 5, 0]]),
    point("recipe-2 test fake-hub", None, 0.5, 0.54),
    point("recipe-robust-5 test fake-hub", None, 0.85),
    point("recipe-robust-5 test optimised", None, 0.81),
    point("recipe-2 test fake-hub", 0.1, 0.4),
    point("recipe-2 train copy-largest", 0.1, 0.76),
    point("recipe-2 test fake-hub", None, 0.1, panel="recipe, ε = 2"),
]


def test_a_row_for_each_attack_and_the_worst_of_them() -> None:
    found, panels = points_at(POINTS, "recipe", 1.0), SPEC.settings[0][2]
    head, rows = accuracies(SPEC, panels, found, "test")
    assert head[:5] == [
        "attack",
        "one liar: undefended",
        "one liar: defended",
        *(f"β = 0.01: {d}" for d in ("undefended", "defended")),
    ]
    table = {str(row[0]): row[1:] for row in rows}
    assert table["nobody lies"][:2] == ["0.900", "0.890"]
    assert table["fake-hub: friends with everybody"][:6] == ["0.520", "0.850", None, None, "0.400", None]
    assert table["the worst of these"][:6] == ["0.520", "0.810", None, None, "0.400", None]
    assert worst_of(["fake-hub", "optimised"], found, "test", None, "recipe-robust-5") == 0.81
    assert accuracies(SPEC, panels, found, "both")[1] == []


def test_certificates_are_counted_by_size() -> None:
    _, rows = certificates(points_at(POINTS, "recipe", 1.0))
    assert rows == [
        ["1 to 50", "2", "0.500", "0.500", "1", "2"],
        ["above 800", "1", "1.000", "0.000", "5", "5"],
        ["all", "3", "0.667", "0.333", "2", "5"],
    ]
    assert certificates({})[1] == []


def test_the_section_has_a_chart_where_there_are_shares() -> None:
    made = forgery_section(SPEC, PLAN, POINTS)
    assert [name for name, _, _ in made.charts] == ["poisoning-recipe-recipe-1"]
    heads = re.findall("<h3>(.*?)</h3>", made.body)
    assert heads == [
        "the recipe, ε = 1, liars in test graphs",
        "the recipe, ε = 1, liars in training graphs",
        "the recipe, ε = 1, certificates",
        "the recipe, ε = 2, liars in test graphs",
    ]
