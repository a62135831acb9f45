"""The step from fine noise to rough noise, from its first coin on, against its formula."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.audit.test_exact import e_to, short
from tests.audit.test_exact import noise as likely_noise

from graphldp.audit.enumeration import enumerate_law
from graphldp.client.sampling import coarsening
from graphldp.client.sampling.entropy import Entropy
from graphldp.client.sampling.laplace import discrete_laplace

ENDS = Fraction(1, 10**7)  # more than what an enumeration leaves out


def epsilon(value: float) -> Fraction:
    return Fraction(round(value * 10**6), 10**6)


@pytest.mark.parametrize(("fine", "coarse"), [(1.0, 0.2), (2.0, 0.4), (0.5, 0.1), (3.0, 2.5), (4.5, 0.75), (0.7, 0.3)])
def test_the_step_is_0_or_noise_of_its_own(fine: float, coarse: float) -> None:
    e, e1 = e_to(fine), e_to(coarse)
    stays = short(e1 / e * ((1 - 1 / e1) / (1 - 1 / e)) ** 2)
    law = enumerate_law(lambda entropy: coarsening.step(epsilon(fine), epsilon(coarse), entropy))
    assert law.rest < ENDS
    for z, found in law.chances.items():
        true = (1 - stays) * likely_noise(coarse, z) + (stays if z == 0 else 0)
        assert -Fraction(1, 10**15) <= true - found <= law.rest


def test_fine_noise_with_its_step_is_noise_of_the_smaller_epsilon() -> None:
    fine, coarse = Fraction(3, 2), Fraction(1, 2)

    def run(entropy: Entropy) -> int:
        return discrete_laplace(fine, entropy) + coarsening.step(fine, coarse, entropy)

    law = enumerate_law(run, cutoff=Fraction(1, 10**12))
    assert law.rest < ENDS
    for z, found in law.chances.items():
        assert -Fraction(1, 10**15) <= likely_noise(0.5, z) - found <= law.rest


@pytest.mark.parametrize(("fine", "coarse"), [("2/1000000", "1/1000000"), ("16777215/1000000", "1/1000000")])
def test_the_ends_of_epsilon_are_drawn_as_well(fine: str, coarse: str) -> None:
    entropy = Entropy()
    for _ in range(20):
        assert isinstance(coarsening.step(Fraction(fine), Fraction(coarse), entropy), int)
