"""The collector as a process: slow clients, limits, its log, its end."""

from __future__ import annotations

import base64
import json
import platform
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.services import Collector
from tests.collector.people import report, submission
from tests.collector.site import SETTINGS, Site, problem
from tests.files.test_folders import killed

from graphldp import wire
from graphldp.collector.http.operators.downloads import EXPORTS
from graphldp.collector.storage.collecting.accepting import Ruling


def raw(port: int, *parts: bytes) -> bytes:
    """What the server sends until it closes, to a client that sends these, one after each answer, and then nothing."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        received = b""
        for part in parts[:-1]:
            connection.sendall(part)
            received += connection.recv(4096)
        connection.sendall(parts[-1])
        while chunk := connection.recv(4096):
            received += chunk
        return received


def test_slow_clients_are_cut_off(hasty: Site) -> None:
    head = (
        f"PUT /v1/communities/cats/reports/16 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {hasty.tokens[16]}\r\n"
        f"Content-Type: {wire.MEDIA_TYPE}\r\nContent-Length: 20\r\n\r\n"
    ).encode()
    assert b"408" in raw(hasty.collector.port, head + b"x").split(b"\r\n")[0]
    assert raw(hasty.collector.port, head[:30]) == b""
    assert raw(hasty.collector.port, b"") == b""
    health = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    assert raw(hasty.collector.port, health, b"GET /heal").startswith(b"HTTP/1.1 200")


def test_a_signal_that_comes_at_once_is_not_lost(tmp_path: Path) -> None:
    for _ in range(3):
        with Collector(f"sqlite:///{tmp_path / 'collector.db'}") as collector:
            assert collector.stop() == 0


def test_nothing_secret_is_logged_or_answered(tmp_path: Path) -> None:
    """The log, at its most talkative, and every error answer, after all kinds of requests, hold no token or list."""
    site = Site(tmp_path, SETTINGS)
    bodies = [report(u, neighbours=(1, 2, 3, 40 + u)) for u in range(8)]
    with site.collector:
        answers = [site.put(0, bodies[0]), site.put(0, bodies[1]), site.put(1, bodies[0]), site.put(2, bodies[2][:-2])]
        answers.append(site.put(3, bodies[3], token=site.tokens[4]))
        items = [{"community": "cats", "user": 5, "epoch": 1, "token": site.tokens[5], "report": bodies[5].hex()}]
        answers.append(site.http.post(f"{site.collector.url}/v1/reports:batch", json={"reports": items}))
        answers.append(site.http.get(f"{site.collector.url}/v1/communities/{site.tokens[6]}"))
        answers.append(site.http.put(f"{site.collector.url}/v1/communities/cats/reports/{site.tokens[6]}"))
        site.store.engine.dispose()
        with site.store.engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE reports")
        answers.append(site.put(7, bodies[7]))
        assert answers[-1].status_code == 503
        assert site.collector.stop() == 0
        log = site.collector.output()
    said = log + "".join(answer.text for answer in answers if answer.status_code >= 400)
    assert "store unavailable" in log
    for token in site.tokens.values():
        assert token not in said
        assert token.partition(".")[2] not in said
    for body in bodies:
        for form in (body.hex(), base64.b64encode(body).decode(), repr(body)[2:-1]):
            assert form not in said
    site.http.close()
    site.store.close()


@pytest.mark.attack("collector")
def test_limits_per_token_and_per_address(tmp_path: Path) -> None:
    """A stolen invitation, and guesses at the report that its owner sent."""
    site = Site(tmp_path, {"token_per_minute": 3, "address_per_minute": 10})
    with site.collector:
        assert [site.put(0, report(0)).status_code for _ in range(4)] == [201, 200, 200, 429]
        answer = site.put(0, report(0))
        assert problem(answer) == (429, "too-many")
        assert int(answer.headers["retry-after"]) >= 1
        assert site.put(1, report(1)).status_code == 201  # another token is not concerned
        rest = [site.put(2, report(2)).status_code for _ in range(6)]
        assert rest[-1] == 429
        assert site.http.get(f"{site.collector.url}/v1/communities/cats").status_code == 429
        assert site.http.get(f"{site.collector.url}/healthz").status_code == 200
    site.http.close()
    site.store.close()


def test_problems_where_no_application_is_reached(tmp_path: Path) -> None:
    """What is no HTTP, and a connection too many, are answered with the one error body too."""
    site = Site(tmp_path, {"connections": 2})
    health = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with site.collector:
        for wanted, sent in ((400, b"nonsense\r\n\r\n"), (503, health)):
            held = [socket.create_connection(("127.0.0.1", site.collector.port)) for _ in range(2 * (wanted == 503))]
            for each in held:
                each.sendall(health)
                assert each.recv(4096).startswith(b"HTTP/1.1 200")
            head, _, body = raw(site.collector.port, sent).partition(b"\r\n\r\n")
            for each in held:
                each.close()
            assert head.startswith(f"HTTP/1.1 {wanted}".encode())
            assert b"content-type: application/problem+json" in head.lower()
            assert json.loads(body)["status"] == wanted
            assert (b"retry-after" in head.lower()) == (wanted == 503)
        assert site.collector.stop() == 0
    site.http.close()
    site.store.close()


def test_sigterm_finishes_what_is_under_way(tmp_path: Path) -> None:
    site = Site(tmp_path, {"body_seconds": 10})
    with site.collector:
        body = report(0)
        head = (
            f"PUT /v1/communities/cats/reports/0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {site.tokens[0]}\r\n"
            f"Content-Type: {wire.MEDIA_TYPE}\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
        ).encode()
        with socket.create_connection(("127.0.0.1", site.collector.port), timeout=60) as connection:
            connection.sendall(head)
            assert connection.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"  # it is under way
            connection.sendall(body[:5])
            assert site.collector.process is not None
            site.collector.process.terminate()
            time.sleep(0.3)
            connection.sendall(body[5:])
            assert connection.recv(4096).startswith(b"HTTP/1.1 201")
        assert site.collector.stop() == 0
    assert site.store.accept([submission(site.cats, 0, site.tokens[0], body)]) == [Ruling.REPEATED]
    site.http.close()
    site.store.close()


@pytest.mark.attack("collector")
def test_what_a_killed_server_left_of_an_export_goes_with_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kill a server during an export, or a command during a backup, a check or a training."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    left = killed(tmp_path, EXPORTS)
    assert (left / "reports.npz").exists()
    with Collector(f"sqlite:///{tmp_path / 'collector.db'}"):
        assert not left.exists()


_ARENAS = """
import ctypes, sys, threading
from graphldp.collector.server import share_memory

if sys.argv[1] == "shared":
    share_memory()
together = threading.Barrier(8)
threads = [threading.Thread(target=lambda: (together.wait(), bytearray(1 << 16), together.wait())) for _ in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
libc = ctypes.CDLL(None)
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others have no such arenas")
@pytest.mark.attack("collector")
@pytest.mark.parametrize(("how", "few"), [("shared", True), ("apart", False)])
def test_threads_share_what_they_free(how: str, few: bool) -> None:
    """A minute of batches of 16 MB took over 400 MB: each thread kept the memory of the longest that it had read."""
    told = subprocess.run([sys.executable, "-c", _ARENAS, how], capture_output=True, text=True, check=True).stdout
    assert (told.count("<heap nr=") <= 2) is few
