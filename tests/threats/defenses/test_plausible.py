"""Degrees that no honest device sends are flagged, and honest ones seldom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.values import some

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.threats import CopyLargest, DegreeAttack, FakeHub, SilentHubs
from graphldp.threats.defenses.plausible import PlausibleDegrees


@pytest.fixture(scope="module")
def honest() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(80, seed=0), rng=0)


def test_honest_users_pass(honest: gl.Reports) -> None:
    """θ = 0.05 of a graph, shared by its users: three of 80 graphs with a flagged user are many, ten are too many."""
    flagged = PlausibleDegrees().judge(honest).flagged
    assert len(np.unique(honest.graph_of_user[flagged])) <= 10
    assert flagged.mean() < 0.005


@pytest.mark.parametrize("claim", [-40.0, 10_000.0])
def test_what_is_out_of_range_is_flagged_and_nobody_else(claim: float, honest: gl.Reports) -> None:
    degree = some(honest.noisy_degree).copy()
    degree[honest.graph_ptr[:-1]] = claim
    flagged = PlausibleDegrees().judge(replace(honest, noisy_degree=degree)).flagged
    assert flagged[honest.graph_ptr[:-1]].all()


@pytest.mark.parametrize("attack", [FakeHub(fraction=0.2), CopyLargest(fraction=0.2)])
def test_many_who_say_the_same_are_flagged(attack: DegreeAttack, honest: gl.Reports) -> None:
    verdict = PlausibleDegrees().judge(attack.apply(honest, rng=0))
    assert verdict.rate(attack.malicious(honest, rng=0)) > 0.8
    assert verdict.rate(~attack.malicious(honest, rng=0)) < 0.1


def test_a_public_or_missing_user_is_never_flagged_and_silence_never_found(honest: gl.Reports) -> None:
    attack = SilentHubs(liars=1)
    silent = PlausibleDegrees().judge(attack.apply(honest, rng=0))
    assert silent.rate(attack.malicious(honest, rng=0)) < 0.05
    away = replace(FakeHub(fraction=0.2).apply(honest, rng=0), missing=np.ones(honest.num_users, np.bool_))
    assert not PlausibleDegrees().judge(away).flagged.any()


def test_theta_and_lists_are_checked(honest: gl.Reports) -> None:
    with pytest.raises(ParameterError, match="The 'theta' parameter of PlausibleDegrees"):
        PlausibleDegrees(theta=1.0)
    lists = gl.RR(1.0).randomize(gl.synthetic.threads(2, seed=0), rng=0)
    with pytest.raises(gl.errors.GraphLDPError, match="PlausibleDegrees"):
        PlausibleDegrees().judge(lists)
