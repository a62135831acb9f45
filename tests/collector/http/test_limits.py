from __future__ import annotations

import threading
import tracemalloc

import pytest
from starlette.datastructures import Headers

from graphldp.collector.http import limits
from graphldp.collector.http.limits import Limiter, media_type, network_of, parse_json
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


@pytest.mark.attack("collector")
def test_a_flood_of_keys_hides_none_that_is_over_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stolen token, and batches of made-up ones: the limiter forgot the oldest first, and the thief guessed on."""
    monkeypatch.setattr(limits, "_MOST", 100)
    limiter = Limiter(30, Clock())
    assert allowed(limiter, "stolen", 100) == 30
    for stranger in range(1000):
        limiter.take(str(stranger))
    assert allowed(limiter, "stolen", 100) == 0


@pytest.mark.attack("collector")
def test_no_address_is_remembered_whole_however_long() -> None:
    """Addresses of 60 KB, where all proxies are believed: a hundred thousand of them would take gigabytes."""
    limiter = Limiter(10)
    tracemalloc.start()
    for number in range(500):
        limiter.take(network_of(f"{number}{'x' * 60_000}"))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 1_000_000


def test_an_ipv6_household_counts_as_one() -> None:
    assert network_of("2001:db8:1:2:3:4:5:6") == network_of("2001:db8:1:2::9") == "2001:db8:1:2::"
    assert network_of("2001:db8:1:3::9") != network_of("2001:db8:1:2::9")
    assert network_of("192.0.2.7") == "192.0.2.7"
    assert network_of("unix") == "unix"


@pytest.mark.attack("collector")
def test_an_ipv4_address_counts_as_itself_however_it_is_written() -> None:
    """IPv4 addresses written as IPv6."""
    assert network_of("::ffff:192.0.2.7") == network_of("::ffff:c000:207") == network_of("192.0.2.7")
    assert network_of("::ffff:192.0.2.8") != network_of("::ffff:192.0.2.7")


@pytest.mark.attack("collector")
def test_a_limiter_is_asked_by_one_thread_at_a_time() -> None:
    """A loop and a thread that shared a limiter without a lock forgot a key twice."""
    inside, free, second = threading.Event(), threading.Event(), threading.Event()

    def clock() -> float:
        if inside.is_set():
            second.set()
        else:
            inside.set()
            assert free.wait(30)
        return 1000.0

    limiter = Limiter(30, clock)
    threads = [threading.Thread(target=limiter.take, args=(key,)) for key in "ab"]
    threads[0].start()
    assert inside.wait(30)
    threads[1].start()
    assert not second.wait(0.05)
    free.set()
    for thread in threads:
        thread.join(30)
    assert second.is_set()


@pytest.mark.attack("collector")
def test_a_media_type_is_looked_at_only_while_it_is_short() -> None:
    """A parser of media types that took the square of their length saw what anybody sent."""
    for written, kind in (("a/b", "a/b"), ("A/B ; x=1", "a/b"), ("a/b" + ";" * 300, ""), (" " * 300, "")):
        assert media_type(Headers({"content-type": written})) == kind
    assert media_type(Headers({})) == ""


@pytest.mark.attack("collector")
@pytest.mark.parametrize("body", [b"[1,1,1,1,1,1,1]", b"[[[[]]]]", b"[{},{},{},{}]", b'{"a":1,"b" :1,"c"\n:1}'])
def test_parts_are_counted_before_a_body_is_parsed(body: bytes) -> None:
    """A body that takes a hundred times its bytes once it is parsed."""
    assert parse_json(b'{"a":[1,2],"b":3}', values=5, containers=3, keys=2) == {"a": [1, 2], "b": 3}
    with pytest.raises(ProblemError):
        parse_json(body, values=5, containers=3, keys=2)
