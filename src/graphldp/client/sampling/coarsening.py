"""More noise on a noisy degree, by which it has the law of a smaller ε: gradual release, backwards, drawn exactly.

Noise of ε₁ < ε is noise of ε plus an independent step: 0 with probability s, else noise of ε₁ of its own. With
r = e^(−ε) and r₁ = e^(−ε₁),

    s = e^(ε₁ − ε) · ((1 − r₁)/(1 − r))²

s is no fraction, but a product of three chances that coins have exactly. The first is the coin of e^(−γ). The other two
are alike. Let V be one of 0, 1/t, 2/t, … below ε, each as likely as e^(−V): it is below ε₁ with probability
(1 − r₁)/(1 − r). V is drawn uniformly, and kept with probability e^(−V). The law is the one of the lab's
:mod:`graphldp.mechanisms.degrees.coarsening`; ``docs/mechanisms/hub-lists.md`` has the proof.
"""

from __future__ import annotations

import math
from fractions import Fraction

from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sampling.laplace import discrete_laplace


def step(fine: Fraction, coarse: Fraction, entropy: Entropy) -> int:
    """Draw what noise of ε = ``fine`` lacks to be noise of ε₁ = ``coarse``.

    Args:
        fine: ε.
        coarse: ε₁, below ε.
        entropy: where the randomness comes from.
    """
    stays = entropy.until(lambda source: _attempt(fine, coarse, source))
    return 0 if stays else discrete_laplace(coarse, entropy)


def _attempt(fine: Fraction, coarse: Fraction, entropy: Entropy) -> bool | None:
    t = math.lcm(fine.denominator, coarse.denominator)
    early = True
    for _ in range(2):
        v = Fraction(entropy.below(int(fine * t)), t)
        if not entropy.exp_coin(v):
            return None
        early = early and v < coarse
    return early and entropy.exp_coin(fine - coarse)
