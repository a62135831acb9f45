"""Both rounds of the client, enumerated: they hold at ε and not below, and four ways to get them wrong are seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from graphldp.audit import rounds
from graphldp.audit.exact import SPENT
from graphldp.client.sampling import hubs, pairs
from graphldp.client.sampling.entropy import Entropy
from graphldp.wire import Answer, NoisyLists, Report


@pytest.mark.attack("device")
@pytest.mark.parametrize("spent", [1.0, 1.5, 2.25])
def test_both_rounds_cost_epsilon_and_no_less(spent: float) -> None:
    """Lie about who is busy, by d* or at will."""
    found = rounds.rounds(3, spent)
    assert found.holds
    assert spent - rounds.WASTE < found.shown <= spent


@pytest.mark.attack("device")
@pytest.mark.parametrize(("n", "spent"), [(2, (2.5, 3.75)), pytest.param(3, (2.5, 3.75), marks=pytest.mark.long)])
def test_both_rounds_of_closed_pairs_cost_epsilon_and_no_less(n: int, spent: tuple[float, float]) -> None:
    """Publish lists that nobody sent, by d* or at will."""
    found = rounds.rounds(n, *spent)
    assert found.holds
    assert sum(spent) - rounds.WASTE < found.shown <= sum(spent)


def test_a_whole_audit_runs_at_every_epsilon() -> None:
    assert {spent for _, spent, second in rounds.cases(4) if not second} == set(SPENT)
    assert {(spent, second) for _, spent, second in rounds.cases(4) if second} == set(rounds.PAIRS)


def fresh_noise(patch: pytest.MonkeyPatch) -> None:
    real = hubs.answer
    patch.setattr(hubs, "answer", lambda question, friends, user, noise: real(question, friends, user, 0))


def gate_on_d(patch: pytest.MonkeyPatch) -> None:
    real = hubs.draw

    def draw(friends: tuple[int, ...], **options: Any) -> Any:
        report, _ = real(friends, **options | {"hub_from": None})
        if len(friends) < options["hub_from"]:
            return report, None
        told = Report(
            "hub-counts", report.n, report.user, report.epsilon1, 0.0, report.noisy_degree, np.zeros(0, np.int32), True
        )
        return told, 0

    patch.setattr(hubs, "draw", draw)


def first_noise_alone(patch: pytest.MonkeyPatch) -> None:
    real = hubs.draw

    def draw(friends: tuple[int, ...], **options: Any) -> Any:
        seen = []

        class Watched(Entropy):
            def until(self, attempt: Any) -> Any:
                seen.append(options["_entropy"].until(attempt))
                return seen[-1]

        report, noise = real(friends, **options | {"_entropy": Watched()})
        if noise is None:
            return report, None
        told = len(friends) + seen[0]
        return Report(
            "hub-counts", report.n, report.user, report.epsilon1, 0.0, told, np.zeros(0, np.int32), True
        ), noise

    patch.setattr(hubs, "draw", draw)


def half_the_noise(patch: pytest.MonkeyPatch) -> None:
    real = pairs.answer
    patch.setattr(pairs, "answer", lambda question, friends, report, noise: real(question, friends, report, noise // 2))


def cap_by_the_true_degree(patch: pytest.MonkeyPatch) -> None:
    """The client forgets that the cap may depend on what was sent alone."""
    real = pairs.answer

    def answer(question: NoisyLists, friends: tuple[int, ...], report: Report, noise: int) -> Answer:
        return real(question, friends, replace(report, noisy_degree=len(friends)), noise)

    patch.setattr(pairs, "answer", answer)


@pytest.mark.parametrize(
    ("n", "mutant"), [(2, half_the_noise), pytest.param(3, cap_by_the_true_degree, marks=pytest.mark.long)]
)
def test_mutants_of_closed_pairs_are_seen(
    monkeypatch: pytest.MonkeyPatch, n: int, mutant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    mutant(monkeypatch)
    assert not rounds.rounds(n, *rounds.PAIRS[0]).holds


@pytest.mark.parametrize("mutant", [fresh_noise, gate_on_d, first_noise_alone])
def test_mutants_are_seen(monkeypatch: pytest.MonkeyPatch, mutant: Callable[[pytest.MonkeyPatch], None]) -> None:
    mutant(monkeypatch)
    assert not rounds.rounds(3, 1.0).holds


def test_two_answers_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that answers two questions tells by how many friends they differ."""
    real = rounds.observed

    def observed(law: Any, collector: Any) -> Any:
        both = real(law, collector)
        found: dict[Any, Any] = {}
        for (report, answers), likely in law.chances.items():
            outcome = (report, answers)
            found[outcome] = found.get(outcome, 0) + likely
        return type(both)(found, law.rest, {})

    monkeypatch.setattr(rounds, "observed", observed)
    assert not rounds.rounds(3, 1.0).holds
