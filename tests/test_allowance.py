from __future__ import annotations

from inspect import signature

import numpy as np
import pytest

import graphldp as gl
from graphldp.allowance import ALLOWANCE, check_allowance
from graphldp.errors import ParameterError


@pytest.mark.parametrize("given", [0, 1, 0.05, np.float32(0.5), np.int64(1)])
def test_numbers_from_0_to_1(given: float) -> None:
    assert check_allowance(given, "a test") == given
    assert type(check_allowance(given, "a test")) is float


@pytest.mark.parametrize("given", [-0.1, 1.01, True, np.True_, "0.1", None, float("nan"), float("inf")])
def test_anything_else_is_refused(given: object) -> None:
    with pytest.raises(ParameterError, match="The 'allowance' parameter of a test must be a number from 0 to 1"):
        check_allowance(given, "a test")


def test_the_usual_one() -> None:
    assert signature(gl.RobustProfileClassifier).parameters["allowance"].default == ALLOWANCE == 0.01
