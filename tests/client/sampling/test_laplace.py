from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from scipy.stats import chi2_contingency, chisquare

from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sampling.laplace import discrete_laplace

EPSILONS = [Fraction(1, 10), Fraction(1), Fraction(9, 4)]
DRAWS = 4000


def sample(epsilon: Fraction, seed: int) -> Counter[int]:
    entropy = Entropy(_source=np.random.default_rng(seed).bytes)
    return Counter(discrete_laplace(epsilon, entropy) for _ in range(DRAWS))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_law(epsilon: Fraction) -> None:
    # χ² on a seeded source; false alarm 1e-6 each.
    drawn, scale = sample(epsilon, 5), float(epsilon)
    top = next(z for z in range(1, 10**6) if DRAWS * math.exp(-scale * z) < 20)
    chance = {z: math.tanh(scale / 2) * math.exp(-scale * abs(z)) for z in range(-top, top + 1)}
    seen = [drawn[z] for z in chance] + [sum(count for z, count in drawn.items() if abs(z) > top)]
    expected = [DRAWS * each for each in chance.values()] + [DRAWS * (1 - sum(chance.values()))]
    assert chisquare(seen, expected)[1] > 1e-6


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_opendp_draws_from_the_same_law(epsilon: Fraction) -> None:
    # Two samples in bins, ours seeded; OpenDP's cannot be, so p > 1e-9: a false alarm once in a billion runs.
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    theirs = Counter(dp.m.make_geometric(*space, scale=1 / float(epsilon))([0] * DRAWS))
    edge = max(1, round(2 / float(epsilon)))
    table = np.zeros((2, 2 * edge + 1))
    for row, law in enumerate((sample(epsilon, 9), theirs)):
        for z, count in law.items():
            table[row, max(-edge, min(edge, z)) + edge] += count
    assert chi2_contingency(table[:, table.sum(axis=0) > 0])[1] > 1e-9
