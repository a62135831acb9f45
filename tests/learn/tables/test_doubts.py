"""Graphs with a forged hub are told from honest ones, and few honest ones are doubted."""

from dataclasses import replace

import numpy as np

import graphldp as gl
from graphldp.learn.tables.doubts import FALSE_ALARMS, Doubts
from graphldp.learn.tables.levels import Levelled


def test_forged_hubs_are_doubted_and_honest_graphs_are_not() -> None:
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(400, seed=0), rng=0)
    doubts = Doubts.fit(Levelled.of(reports[:250]), seed=0)
    assert doubts.held_out.mean() <= FALSE_ALARMS
    honest = reports[250:]
    assert doubts.doubted(Levelled.of(honest)).mean() < 0.15  # 150 graphs at 3 %: more than 22 by chance once in 1e9
    claims = np.asarray(honest.noisy_degree).copy()
    claims[honest.graph_ptr[:-1] + honest.sizes // 2] = honest.sizes - 1.0
    assert doubts.doubted(Levelled.of(replace(honest, noisy_degree=claims))).mean() > 0.5


def test_too_few_graphs_to_learn_from_raise_no_doubt() -> None:
    threads = gl.synthetic.threads(20, seed=0)
    doubts = Doubts.fit(Levelled.of(threads), seed=0)
    assert not doubts.held_out.any()
    assert not doubts.doubted(Levelled.of(threads)).any()
