from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from graphldp.client.sampling import coarsening, hubs, pairs, sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.errors import ParameterError, WireError
from graphldp.mechanisms.dprr import sampling_probability
from graphldp.wire import Report, encode


def draw(
    friends: Sequence[int] | NDArray[np.int32],
    mechanism: str = "dprr",
    n: int = 200,
    user: int = 3,
    epsilon1: float = 0.5,
    epsilon2: float = 1.5,
    **options: Any,
) -> Report:
    return sampler.draw(friends, mechanism=mechanism, n=n, user=user, epsilon1=epsilon1, epsilon2=epsilon2, **options)


def fixed(noise: int, epsilon: Fraction, entropy: Entropy) -> int:
    return noise


def counted(seed: int) -> Entropy:
    rng = np.random.default_rng(seed)
    return Entropy(_source=rng.bytes)


class TestThresholds:
    @pytest.mark.parametrize("units", [1, 999, 100_000, 900_000, 3_141_593, 16_777_215])
    def test_e_is_bounded_from_below_and_close(self, units: int) -> None:
        numerator, denominator = sampler.exp_below(Fraction(units, 10**6))
        with mpmath.workdps(80):
            true = mpmath.exp(mpmath.mpf(units) / 10**6)
            below = mpmath.mpf(numerator) / denominator
            assert below <= true
            assert (true - below) / true < mpmath.mpf(2) ** -100

    @pytest.mark.parametrize("n", [2, 3, 10, 3782, 3_000_000])
    @pytest.mark.parametrize("epsilon2", [0.05, 0.9, 4.0])
    def test_the_law_is_that_of_the_simulated_mechanism(self, n: int, epsilon2: float) -> None:
        flip = 1 / (math.exp(epsilon2) + 1)
        for degree in (-5, 0, 1, 2, n // 3, n // 2, n, 2 * n):
            stranger, neighbour = sampler.thresholds(sampler.exact(epsilon2), n, degree, 64)
            q = sampling_probability(degree, n, flip)
            assert stranger / 2**64 == pytest.approx(flip * q, rel=1e-12, abs=1e-19)
            assert neighbour / 2**64 == pytest.approx((1 - flip) * q, rel=1e-12, abs=1e-19)

    def test_crossed_thresholds_are_joined(self) -> None:
        # q·2³/(1 + E) is a fraction: rounded apart, a neighbour would be reported less often than a stranger.
        assert sampler.thresholds(Fraction(1, 10), 4, 1, 3) == (3, 3)
        assert sampler.thresholds(Fraction(1), 4, 0, 3) == (0, 0)

    @pytest.mark.parametrize("bits", [1, 2, 3, 8, 64])
    def test_all_four_ratios_keep_epsilon(self, bits: int) -> None:
        for units in (1, 50_000, 900_000, 16_777_215):
            e, one = sampler.exp_below(Fraction(units, 10**6))
            for n, degree in ((2, 1), (5, None), (5, 1), (100, 3), (100, 49), (10**6, 1)):
                low, high = sampler.thresholds(Fraction(units, 10**6), n, degree, bits)
                assert 0 < low <= high < 1 << bits
                assert high * one <= low * e
                assert ((1 << bits) - low) * one <= ((1 << bits) - high) * e


class TestDraw:
    def test_a_seed_is_refused(self) -> None:
        with pytest.raises(ParameterError, match="there is no seed"):
            draw([1], seed=7)

    @pytest.mark.parametrize(
        "options",
        [
            {"friends": [3]},
            {"friends": [200]},
            {"friends": [5, 1]},
            {"epsilon1": 0.0},
            {"epsilon2": math.inf},
            {"epsilon2": 1 / 3},
            {"mechanism": "arr"},
            {"mechanism": "public"},
            {"mechanism": "rr"},
            {"n": 0},
            {"mechanism": "hub-lists", "epsilon1": 0.0},
            {"mechanism": "hub-lists", "epsilon1": 8.4, "epsilon2": 8.4},
        ],
    )
    def test_bad_input_is_refused_before_anything_is_drawn(self, options: dict[str, Any]) -> None:
        def nothing(size: int) -> bytes:
            raise AssertionError("drew from the entropy")

        with pytest.raises(WireError):
            draw(**({"friends": [1]} | options), _entropy=Entropy(_source=nothing))

    def test_a_public_list_is_sent_as_it_is(self) -> None:
        assert draw([1, 5], "public", epsilon1=math.inf, epsilon2=math.inf).neighbours.tolist() == [1, 5]

    def test_noisy_degrees_have_no_list(self) -> None:
        report = draw([1, 5], "noisy-degrees", epsilon2=0.0)
        assert not len(report.neighbours)
        assert report.noisy_degree is not None

    @pytest.mark.parametrize(("rough", "hub"), [(59, False), (60, True), (61, True), (1 << 40, True)])
    def test_the_rough_degree_alone_decides_who_is_a_hub(
        self, monkeypatch: pytest.MonkeyPatch, rough: int, hub: bool
    ) -> None:
        """A hub says rough and never fine, and everybody else fine and never rough; each says what she spent."""
        for fine in (-5, 58, 90):
            monkeypatch.setattr(sampler, "discrete_laplace", partial(fixed, fine - 2))
            monkeypatch.setattr(coarsening, "step", lambda *_, step=rough - fine: step)
            report = draw([1, 5], "hub-lists", epsilon1=0.4, epsilon2=1.6, hub_from=60)
            said = (report.noisy_degree, report.epsilon1, report.epsilon2, report.hub)
            assert said == ((min(rough, (1 << 27) - 1), 0.4, 1.6, True) if hub else (fine, 2.0, 0.0, False))
            assert hub or not len(report.neighbours)

    @pytest.mark.parametrize("options", [{"hub_from": None}, {"epsilon2": 0.0, "hub_from": -(1 << 27)}])
    def test_where_nobody_is_a_hub_everybody_sends_a_noisy_degree(self, options: dict[str, Any]) -> None:
        """The same words give the d* of noisy-degrees with all of ε."""
        given: dict[str, Any] = {"epsilon1": 0.4, "epsilon2": 1.6} | options
        report = draw([1, 5], "hub-lists", **given, _entropy=counted(5))
        whole = given["epsilon1"] + given["epsilon2"]
        same = draw([1, 5], "noisy-degrees", epsilon1=whole, epsilon2=0.0, _entropy=counted(5))
        assert (report.noisy_degree, report.epsilon1, report.hub) == (same.noisy_degree, whole, False)

    def test_a_wild_noise_stays_within_the_wire(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for noise, limit in ((1 << 40, (1 << 27) - 1), (-(1 << 40), -(1 << 27))):
            monkeypatch.setattr(sampler, "discrete_laplace", partial(fixed, noise))
            assert draw([1], "noisy-degrees", epsilon2=0.0).noisy_degree == limit

    def test_the_list_does_not_depend_on_how_many_are_drawn_at_a_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        friends = np.arange(5, 60, 5, dtype=np.int32)
        whole = draw(friends, n=1000, _entropy=counted(3)).neighbours
        monkeypatch.setattr(sampler, "_CHUNK", 64)
        assert whole.tolist() == draw(friends, n=1000, _entropy=counted(3)).neighbours.tolist()

    def test_every_bit_draws_as_much(self) -> None:
        taken = []

        def source(size: int) -> bytes:
            taken.append(size)
            return os.urandom(size)

        for friends in ([], [0], list(range(3)) + list(range(4, 200))):
            draw(friends, "rr", epsilon1=0.0, _entropy=Entropy(_source=source))
        assert taken == [199 * 8] * 3

    def test_rates_of_friends_and_strangers(self) -> None:
        # False alarm: 4 tests at p < 1e-6 each; the entropy is seeded, so it is passed or not once and for all.
        n, friends = 400, np.arange(10, 60, dtype=np.int32)
        entropy = counted(17)
        listed = np.zeros(n)
        rounds = 400
        for _ in range(rounds):
            drawn = draw(friends, "rr", n=n, epsilon1=0.0, epsilon2=1.0, _entropy=entropy)
            listed[np.asarray(drawn.neighbours)] += 1
        p = math.e / (math.e + 1)
        strangers = np.setdiff1d(np.arange(n), [*friends, 3])
        for users, rate in ((friends, p), (strangers, 1 - p)):
            total, hits = rounds * len(users), listed[users].sum()
            assert chisquare([hits, total - hits], [total * rate, total * (1 - rate)])[1] > 1e-6
        assert listed[3] == 0

    def test_the_sampler_needs_neither_torch_nor_numba_nor_scipy(self) -> None:
        code = (
            "import sys, graphldp.client.protocol, graphldp.client.explain\n"
            "sys.exit(any(name in sys.modules for name in ('torch', 'numba', 'scipy', 'fastapi')))"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


VECTORS = json.loads((Path(__file__).parents[2] / "wire" / "vectors" / "draws.json").read_text("utf-8"))


@pytest.mark.parametrize("vector", VECTORS["draws"], ids=lambda vector: vector["name"])
def test_the_bytes_are_those_of_the_randomness(vector: dict[str, Any]) -> None:
    randomness = BytesIO(bytes.fromhex(vector["randomness"]))
    given = {name: vector[name] for name in ("n", "user", "epsilon1")} | {"hub_from": vector.get("hub_from")}
    entropy = Entropy(_source=randomness.read)
    if vector["mechanism"] == "hub-counts":
        report, noise = hubs.draw(vector["friends"], **given, _entropy=entropy)
        assert noise == vector["noise"]
    elif vector["mechanism"] == "closed-pairs":
        given = {name: vector[name] for name in ("n", "user", "epsilon1", "epsilon2")}
        report, noise = pairs.draw(vector["friends"], **given, _entropy=entropy)
        assert noise == vector["noise"]
    else:
        given |= {"mechanism": vector["mechanism"], "epsilon2": vector["epsilon2"]}
        report = sampler.draw(vector["friends"], **given, groups=vector.get("groups"), _entropy=entropy)
    assert encode(report).hex() == vector["report"]
    assert not randomness.read()
