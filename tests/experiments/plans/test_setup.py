"""What a run's settings are called in its cells."""

from __future__ import annotations

from graphldp.experiments.draws import Draw
from graphldp.experiments.plans.setup import Setup, split_settings
from graphldp.experiments.trial import Trial


def test_a_training_with_half_the_digits_is_another_cell() -> None:
    """Its numbers differ, so its name does; trainings without keep the names they had."""
    cells = {}
    for half in (False, True):
        model, training = split_settings({"half": half})
        assert ("half" in training) is half
        trial = Trial(Draw("threads", "rr", 1.0), (0.75, 0.1, 0.15), 0, model=model, training=training)
        setup = Setup(trial)
        cells[half] = setup.candidates(0)[0].cell
    assert cells[False].id != cells[True].id
    assert cells[False].params["training"] == {
        name: value for name, value in cells[True].params["training"].items() if name != "half"
    }
