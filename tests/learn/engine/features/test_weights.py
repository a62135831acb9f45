"""How much entries count; :mod:`tests.learn.test_gin` compares whole models that use it."""

from __future__ import annotations

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError
from graphldp.learn.engine.features.weights import LEVELS, posterior_levels
from graphldp.learn.inference.posterior import LinkPosterior


def test_weights_are_the_posterior_to_the_next_power_of_two() -> None:
    graphs = gl.synthetic.threads(num_graphs=10, seed=0)
    reports = gl.DPRR(epsilon=2.0).randomize(graphs, rng=0)
    level, chance = posterior_levels(reports), LinkPosterior.of(reports).probability
    counts = level < LEVELS
    assert counts.any()
    assert not counts.all()
    ratio = chance[counts] * 2.0 ** level[counts]
    assert (np.abs(np.log2(ratio)) <= 0.5 + 1e-9).all()
    assert chance[~counts].max() <= 2.0 ** (0.5 - LEVELS) * (1 + 1e-9)


def test_what_is_public_is_certain() -> None:
    graphs = gl.synthetic.threads(num_graphs=10, seed=0)
    assert not posterior_levels(graphs).any()
    assert not posterior_levels(gl.NonPrivFull().randomize(graphs)).any()
    epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.5, rng=1)
    reports = gl.DPRR(epsilon=epsilon).randomize(graphs, rng=1)
    assert not posterior_levels(reports)[np.repeat(reports.public, reports.degrees)].any()


def test_reports_without_a_posterior_are_refused() -> None:
    reports = gl.RR(epsilon=1.0).randomize(gl.synthetic.threads(num_graphs=3, seed=0), rng=0)
    with pytest.raises(DataError, match="derived for reports drawn by DPRR or Blink"):
        posterior_levels(reports)
