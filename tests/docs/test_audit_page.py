"""Six ways to get the client wrong, and which check sees which. The table in docs/evidence/audit.md is this test's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from graphldp.audit import exact, montecarlo, protocol
from graphldp.client import slots
from graphldp.client.keeping.membership import Membership
from graphldp.client.sampling import laplace, sampler
from graphldp.wire import Report

DOCS = Path(__file__).parents[2] / "docs" / "evidence" / "audit.md"


def q_from_the_true_degree(patch: pytest.MonkeyPatch) -> None:
    real = sampler.thresholds
    seen: dict[str, int] = {}

    def remember(friends: Sequence[int], **options: Any) -> Report:
        seen["degree"] = len(friends)
        return real_draw(friends, **options)

    real_draw = sampler.draw
    patch.setattr(sampler, "draw", remember)
    patch.setattr(
        sampler, "thresholds", lambda e, n, d, bits: real(e, n, seen.get("degree") if d is not None else None, bits)
    )


def rounding_reversed(patch: pytest.MonkeyPatch) -> None:
    def thresholds(epsilon2: Fraction, n: int, degree: int | None, bits: int) -> tuple[int, int]:
        numerator, one = sampler.exp_below(epsilon2)
        e, whole = Fraction(numerator, one), 1 << bits
        share = 1 / (1 + e)
        if degree is not None and 2 * degree < n - 1:
            share = max(degree, 0) / (max(degree, 0) * (e - 1) + n - 1)
        return math.floor(whole * share), math.ceil(whole * share * e)

    patch.setattr(sampler, "thresholds", thresholds)


def float_p(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sampler, "exp_below", lambda x: Fraction(math.exp(x)).as_integer_ratio())


def halved_noise(patch: pytest.MonkeyPatch) -> None:
    real = laplace.discrete_laplace
    for module in (sampler, laplace):
        patch.setattr(module, "discrete_laplace", lambda epsilon, entropy: _halved(real(epsilon, entropy)))


def _halved(noise: int) -> int:
    return noise // 2 if noise >= 0 else -(-noise // 2)


def no_fake_edges(patch: pytest.MonkeyPatch) -> None:
    real = sampler.thresholds
    patch.setattr(sampler, "thresholds", lambda *arguments: (0, real(*arguments)[1]))


def redraw_on_retry(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Membership, "drawn", lambda self: None)
    patch.setattr(slots, "refuse_second", lambda *arguments, **options: None)


MUTANTS = {
    "q from the true degree": q_from_the_true_degree,
    "rounding reversed": rounding_reversed,
    "float p": float_p,
    "halved noise": halved_noise,
    "no fake edges": no_fake_edges,
    "redraw on retry": redraw_on_retry,
}

# ε₁ and the number of reports are such that Monte Carlo sees what it can see by a wide margin: at 3,000 reports a list,
# a run that misses one of its two mutants has a chance below 1e-6.
CHECKS = {
    "reports": lambda: exact.reports("dprr", 2, 1.0, 0.9),
    "lists": lambda: exact.lists("dprr", 2, 1.0, 0.9, 8),
    "thresholds": lambda: exact.thresholds(exact.EPSILONS2[::8]),
    "Monte Carlo": lambda: montecarlo.audit_client("dprr", 1.0, 1.0, samples=3000),
    "protocol": protocol.one_report,
}


def table() -> dict[str, list[bool]]:
    """Mutant → which checks the docs say catch it."""
    rows = [line.strip("| ").split("|") for line in DOCS.read_text().splitlines() if line.startswith("| ")]
    header = next(row for row in rows if row[0].strip() == "mutant")
    assert [cell.strip() for cell in header[1:]] == list(CHECKS)
    return {row[0].strip(): [cell.strip() == "caught" for cell in row[1:]] for row in rows if row[0].strip() in MUTANTS}


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught_as_the_docs_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTANTS[name](monkeypatch)
    caught = [not check().holds for check in CHECKS.values()]
    assert any(caught)
    assert table()[name] == caught


def test_the_client_itself_passes_every_check() -> None:
    assert [check().holds for check in CHECKS.values()] == [True] * len(CHECKS)
