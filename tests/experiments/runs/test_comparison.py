from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.experiments.plans.setup import draw_for
from graphldp.experiments.runs.comparison import Learner, draw_of, learner_of, own_classes
from graphldp.mechanisms.named import register

GRAPHS = gl.synthetic.threads(num_graphs=4, seed=0)
OWN = Path(__file__).parents[3] / "examples" / "own_mechanism.py"


def draw(entry: Any, epsilon: float = 2.0) -> Any:
    return draw_of("mine", entry, "threads", GRAPHS, epsilon, 0.0)


def test_a_class_its_name_and_a_function_are_one_draw() -> None:
    expected = draw_for("threads", GRAPHS, "dprr", 2.0)
    assert draw(gl.DPRR) == draw("dprr") == draw(lambda e: gl.DPRR(e)) == expected
    fixed = draw_for("threads", GRAPHS, "dprr", 2.0, options={"allocation": "fixed", "alpha": 0.5})
    assert draw(lambda e: gl.DPRR(e, allocation="fixed", alpha=0.5)) == fixed != expected
    assert dict(draw(lambda e: gl.ARR(e, sampling=0.1)).options) == {"sampled": "ones", "sampling": 0.1}
    assert draw("recommended").mechanism == "recommended"


def test_what_spends_no_epsilon_has_none() -> None:
    assert draw(gl.NonPrivFull).epsilon is None
    assert draw(lambda _: gl.NonPrivFull()).epsilon is None


def test_an_epsilon_that_cannot_be_split_waits_for_its_cells() -> None:
    assert draw(gl.DPRR, 0.01).budget is None


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (gl.DPRR(1.0), "must be a mechanism's class or name, 'recommended', or a function from ε to a mechanism"),
        (int, "must be a mechanism's class or name"),
        (lambda _: 7, "must be a mechanism's class or name"),
        (lambda e: gl.DPRR(e / 2), "must be a function whose mechanism spends the ε it is given, 2. Got DPRR"),
        (lambda e: gl.DPRR(e, allocation=gl.Budget(1.0, e - 1)), "must be a mechanism whose parameters are numbers"),
        ("no-such", "'mechanism' parameter of graphldp must be one of dprr"),
    ],
)
def test_what_cannot_be_compared(entry: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        draw(entry)


def test_a_class_inside_a_function_needs_a_name() -> None:
    class Mine(gl.RR):
        """Nobody else can find it."""

    with pytest.raises(ParameterError, match="'mine' parameter of compare must be a class at the top of a module, or"):
        draw(Mine)
    register(Mine, name="mine-for-a-test")
    assert own_classes([draw(Mine)], [Mine]) is None  # other processes cannot find it


def test_other_processes_load_a_file_by_its_path() -> None:
    reference = f"{OWN}:HalfResponse"
    assert own_classes([draw(reference), draw(gl.RR)], [reference, gl.RR]) == (reference,)
    kind = gl.NoisyDegrees
    assert own_classes([draw(kind), draw("recommended")], [kind, "recommended"]) == ()


def test_learners() -> None:
    assert learner_of("recommended") == learner_of(gl.ProfileClassifier()) == Learner()
    assert learner_of(gl.RobustProfileClassifier()).classifier == "recipe-robust-6"
    assert learner_of(gl.RobustProfileClassifier()).model == {}
    daring = learner_of(gl.RobustProfileClassifier(allowance=0.1))
    assert (daring.model, str(daring)) == ({"allowance": 0.1}, "recommended, robust, allowance=0.1")
    with pytest.raises(ParameterError, match="'allowance' parameter of RobustProfileClassifier"):
        learner_of(gl.RobustProfileClassifier(allowance=7))
    network = learner_of(gl.SAGEClassifier(layers=3, max_epochs=7, seed=5))
    assert network.model["convolution"] == "sage"
    assert network.model["layers"] == 3
    assert network.training["max_epochs"] == 7
    assert "seed" not in network.training
    assert learner_of("gin") == learner_of(gl.GINClassifier())
    with pytest.raises(ParameterError, match="'classifier' parameter of compare must be 'recommended', 'gin', 'gcn'"):
        learner_of("forest")
