"""The discrete Laplace law, drawn exactly on whole numbers (Canonne, Kamath & Steinke 2020, Algorithm 2).

    Pr(Z = z) = (e^ε − 1)/(e^ε + 1) · e^(−ε|z|)

Only uniform whole numbers are drawn and compared; nothing is rounded, so the low bits that betray a floating-point
sampler (Mironov 2012) do not exist.
"""

from __future__ import annotations

from fractions import Fraction

from graphldp.client.sampling.entropy import Entropy


def discrete_laplace(epsilon: Fraction, entropy: Entropy) -> int:
    """Draw Z.

    Args:
        epsilon: s/t, exactly; the scale of the noise is t/s.
        entropy: where the randomness comes from.
    """
    return entropy.until(lambda source: _attempt(epsilon, source))


def _attempt(epsilon: Fraction, entropy: Entropy) -> int | None:
    s, t = epsilon.numerator, epsilon.denominator
    u = entropy.below(t)
    if not entropy.exp_coin(Fraction(u, t)):
        return None
    v = 0
    while entropy.exp_coin(Fraction(1)):
        v += 1
    size = (u + t * v) // s  # u + t·v is geometric with ratio e^(−1/t), its quotient by s with ratio e^(−s/t)
    negative = entropy.coin(1, 2)
    if negative and size == 0:
        return None  # zero would otherwise be drawn by both signs
    return -size if negative else size
