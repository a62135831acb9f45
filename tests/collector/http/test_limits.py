from __future__ import annotations

import pytest

from graphldp.collector.http import limits
from graphldp.collector.http.limits import Limiter, network_of
from graphldp.collector.http.problems import ProblemError


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def allowed(limiter: Limiter, key: str, tries: int) -> int:
    passed, refused = 0, []
    for _ in range(tries):
        try:
            limiter.take(key)
        except ProblemError as error:
            refused.append(error)
        else:
            passed += 1
    assert all(error.status == 429 and 1 <= int(error.headers["Retry-After"]) <= 60 for error in refused)
    return passed


def test_so_many_a_minute_at_once_and_then_as_time_goes_by() -> None:
    clock = Clock()
    limiter = Limiter(30, clock)
    assert allowed(limiter, "a", 100) == 30
    assert allowed(limiter, "b", 100) == 30
    clock.now += 10
    assert allowed(limiter, "a", 100) == 5
    clock.now += 3600
    assert allowed(limiter, "a", 100) == 30


def test_zero_is_no_limit() -> None:
    assert allowed(Limiter(0), "a", 1000) == 1000


def test_strangers_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MOST", 100)
    clock = Clock()
    limiter = Limiter(1, clock)
    for stranger in range(1000):
        clock.now += 0.001
        limiter.take(str(stranger))
    assert len(limiter._full_at) <= 100


def test_an_ipv6_household_counts_as_one() -> None:
    assert network_of("2001:db8:1:2:3:4:5:6") == network_of("2001:db8:1:2::9") == "2001:db8:1:2::"
    assert network_of("2001:db8:1:3::9") != network_of("2001:db8:1:2::9")
    assert network_of("192.0.2.7") == "192.0.2.7"
    assert network_of("unix") == "unix"


def test_an_ipv4_address_counts_as_itself_however_it_is_written() -> None:
    assert network_of("::ffff:192.0.2.7") == network_of("::ffff:c000:207") == network_of("192.0.2.7")
    assert network_of("::ffff:192.0.2.8") != network_of("::ffff:192.0.2.7")
