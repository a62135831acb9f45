"""Both rounds of hub-counts against their formula, from the first coin to the bytes. Each probability is a fraction."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.audit.test_exact import noise

from graphldp.audit import rounds
from graphldp.audit.exact import lists_of
from graphldp.client.sampling import hubs
from graphldp.client.sampling.entropy import Entropy
from graphldp.errors import WireError
from graphldp.mechanisms.hubs.hub_lists import hub_threshold
from graphldp.privacy.hubs import HUB_TIMES
from graphldp.privacy.hubs import hub_from as hub_gate
from graphldp.wire import Answer, Question, decode

USER = 1


class Scripted(Entropy):
    """Noise that is given."""

    def __init__(self, *noises: int) -> None:
        super().__init__()
        self.noises = list(noises)

    def until(self, attempt: Any) -> Any:
        return self.noises.pop(0)


def below(epsilon: float, limit: int) -> Fraction:
    """Pr(N < limit), short of a chance below 10⁻¹⁵."""
    return sum((noise(epsilon, z) for z in range(limit - 400, limit)), Fraction(0))


@pytest.mark.parametrize("spent", [1.0, 1.5, 2.25])
def test_the_law_of_both_rounds_is_the_formula(spent: float) -> None:
    """Done: g(d* − d)·Pr(N₂ < hub_from − d*). Asked: g(u₁ − c₁)·g(u₂ − c₂), and u₁ + u₂ = d*."""
    n = 3
    for friends in lists_of(n):
        law = rounds.law_of(n, friends, spent)
        assert law.rest < Fraction(1, 10**8)
        for (body, answers), found in law.chances.items():
            report = decode(body, n=n)
            assert report.noisy_degree is not None
            assert report.asked == bool(answers)
            if not answers:
                x = report.noisy_degree
                true = noise(spent, x - len(friends)) * below(spent, rounds.HUB_FROM - x)
                assert abs(true - found) <= law.rest + Fraction(1, 10**15)
            for question, sent in zip(rounds.questions(n), answers, strict=bool(answers)):
                inside = sum(bool(question.busy[friend]) for friend in friends)
                u2 = Answer.decode(sent, n=n).count
                u1 = report.noisy_degree - u2
                true = noise(spent, u1 - (len(friends) - inside)) * noise(spent, u2 - inside)
                assert abs(true - found) <= law.rest


def test_who_is_asked_is_whom_the_lab_asks() -> None:
    """The whole number that a community publishes decides as the lab's threshold does, on both sides of it."""
    for n in (76, 100, 503, 3782):
        exact = float(hub_threshold(np.array([n]), HUB_TIMES)[0])
        hub_from = hub_gate(n, HUB_TIMES)
        assert hub_from is not None
        for rough in range(hub_from - 2, hub_from + 3):
            report, kept = hubs.draw([0], n=n, user=1, epsilon1=1.0, hub_from=hub_from, _entropy=Scripted(0, rough - 1))
            assert report.asked == (rough >= exact)
            assert report.noisy_degree == (rough if report.asked else 1)
            assert kept == (rough - 1 if report.asked else None)


def test_where_nobody_is_asked_nothing_is_kept() -> None:
    report, kept = hubs.draw([0, 2], n=5, user=1, epsilon1=1.0, hub_from=None, _entropy=Scripted(4, 1000))
    assert (report.noisy_degree, report.asked, kept) == (6, False, None)


def test_wild_noise_stays_within_the_wire_and_adds_up() -> None:
    most = (1 << 27) - 1
    report, kept = hubs.draw([0], n=5, user=1, epsilon1=1.0, hub_from=3, _entropy=Scripted(0, 1 << 40))
    assert (report.noisy_degree, report.asked, kept) == (most, True, 1 << 40)
    assert hubs.answer(Question(np.ones(5, np.bool_)), [0], 1, 1 << 40).count == most


@pytest.mark.parametrize("options", [{"friends": [1]}, {"friends": [5]}, {"epsilon1": 0.0}, {"epsilon1": 1 / 3}])
def test_bad_input_is_refused_before_anything_is_drawn(options: dict[str, Any]) -> None:
    def nothing(size: int) -> bytes:
        raise AssertionError("drew from the entropy")

    given: dict[str, Any] = {"friends": [0], "epsilon1": 1.0} | options
    with pytest.raises(WireError):
        hubs.draw(
            given["friends"], n=5, user=1, epsilon1=given["epsilon1"], hub_from=2, _entropy=Entropy(_source=nothing)
        )
