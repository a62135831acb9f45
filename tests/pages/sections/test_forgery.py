"""The page about forged degrees: every number stands where it belongs, and what is missing is a dash."""

from __future__ import annotations

import re
from typing import cast

from graphldp.experiments.plans.adversaries import DegreeForgery
from graphldp.experiments.plans.figures import EXPERIMENTS
from graphldp.experiments.plans.plan import ExperimentPlan
from graphldp.experiments.summary import Point
from graphldp.pages.sections.forgery import accuracies, by_trust, certified, forgery_section, points_at

PLAN = ExperimentPlan("poisoning-recipe", "tiny", "smoke", 1, "", ())
SPEC = cast("DegreeForgery", EXPERIMENTS["poisoning-recipe"])


def point(series: str, x: float | None, *accuracy: float, panel: str = "ε = 1", **more: object) -> Point:
    numbers = tuple({"accuracy": each, **more} for each in accuracy)
    return Point(panel, series, x, numbers, (), len(numbers), len(numbers), ())


POINTS = [
    point("recipe-2 nobody", 0.0, 0.9),
    point("recipe-robust-6 nobody", 0.0, 0.89, certified=[[40, 0, 1], [40, 2, 1], [900, 5, 0]]),
    point("recipe-2 test fake-hub", None, 0.5, 0.54),
    point("recipe-robust-6 test fake-hub", None, 0.85),
    point("recipe-2 train copy-largest", 0.1, 0.76),
    point("recipe-2 test fake-hub", None, 0.1, panel="ε = 2"),
    point("recipe-2 trusted", 0.1, 0.87),
]


def test_a_row_for_each_attack_and_what_is_certified() -> None:
    found, panels = points_at(POINTS, 1.0), SPEC.settings[0][1]
    head, rows = accuracies(panels, found, "test")
    assert head == ["attack", "one liar: undefended", "one liar: defended"]
    assert rows == [
        ["nobody lies", "0.900", "0.890"],
        ["certified", None, "0.667"],
        ["… and right", None, "0.333"],
        ["fake-hub: friends with everybody", "0.520", "0.850"],
    ]
    head, rows = accuracies(panels, found, "train")
    assert head == ["attack", *(f"β = {x}: undefended" for x in (0.01, 0.1, 0.3))]
    assert rows[1] == ["copy-largest: as many friends as the busiest user", None, "0.760", None]
    assert accuracies(panels, points_at(POINTS, 2.0), "train")[1] == []
    assert certified({}) is None


def test_the_section_has_a_table_for_each_place() -> None:
    made = forgery_section(SPEC, PLAN, POINTS)
    heads = re.findall("<h3>(.*?)</h3>", made.body)
    assert heads == [
        *("ε = 1, liars in test graphs", "ε = 1, liars in training graphs", "ε = 2, liars in test graphs"),
        "Learned from trusted graphs alone",
    ]
    head, rows = by_trust(SPEC, POINTS)
    assert [head[3], head[-1]] == ["10%", "all, and nobody lies"]
    assert rows == [["ε = 1", None, None, "0.870", None, None, "0.900"]]
