"""Both rounds of the client, enumerated: they hold at ε and not below, and four ways to get them wrong are seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graphldp.audit import rounds
from graphldp.audit.exact import SPENT
from graphldp.client.sampling import hubs
from graphldp.client.sampling.entropy import Entropy
from graphldp.wire import Report


@pytest.mark.parametrize("spent", [1.0, 1.5, 2.25])
def test_both_rounds_cost_epsilon_and_no_less(spent: float) -> None:
    found = rounds.rounds(3, spent)
    assert found.holds
    assert spent - rounds.WASTE < found.shown <= spent


def test_a_whole_audit_runs_at_every_epsilon() -> None:
    assert {spent for _, spent in rounds.cases(4)} == set(SPENT)


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


@pytest.mark.parametrize("mutant", [fresh_noise, gate_on_d, first_noise_alone])
def test_mutants_are_seen(monkeypatch: pytest.MonkeyPatch, mutant: Callable[[pytest.MonkeyPatch], None]) -> None:
    mutant(monkeypatch)
    assert not rounds.rounds(3, 1.0).holds


def test_two_answers_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that answers two questions tells by how many friends they differ."""
    real = rounds.heard

    def heard(law: Any, collector: Any) -> Any:
        both = real(law, collector)
        found: dict[Any, Any] = {}
        for (report, answers), likely in law.found.items():
            outcome = (report, answers)
            found[outcome] = found.get(outcome, 0) + likely
        return type(both)(found, law.rest, {})

    monkeypatch.setattr(rounds, "heard", heard)
    assert not rounds.rounds(3, 1.0).holds
