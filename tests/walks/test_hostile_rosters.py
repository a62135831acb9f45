"""Rosters made to tell a friend from a stranger, served to real client processes with little memory.

Two users have neighbouring lists: one has bob for a friend, the other has not. Whatever roster they are given, when
they join or in a new epoch, both send the same requests in the same order, end alike, and take the same memory.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from graphldp.wire import Choice, Invitation, Published, roster_digest, write_publication

MEMORY = 700 << 20
BAND = 12 << 20  # by how much two runs of one client differ that do the same,
SHARE = 10  # or by such a part of all where large buffers grew in other steps
PLACE = 12  # of bob
HONEST = [f"user{number}" for number in range(40)]
# runs commands one after the other as the command line does, at once, and says at last how each ended and its peak
DRIVER = """
import json, resource, sys
from graphldp.client.protocol import Client
Client.__init__.__kwdefaults__["tick"] = 0.0
Client.__init__.__kwdefaults__["pauses"] = ()
from graphldp.cli import main
codes = []
for command in json.loads(sys.argv[1]):
    sys.argv = ["graphldp", *command]
    try:
        main()
        codes.append(0)
    except SystemExit as end:
        codes.append(end.code or 0)
    except MemoryError:
        codes.append("memory")
print(json.dumps([codes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


def among(bob: str, others: Sequence[str] = HONEST) -> list[str]:
    return [*others[:PLACE], bob, *others[PLACE + 1 :]]


def strangers(count: int, letter: str = "x") -> list[str]:
    return [f"{letter}{number}" for number in range(count)]


ROSTERS: dict[str, Callable[[], list[str]]] = {
    "bob among strangers": lambda: among("bob", strangers(40)),
    "bob and 120 million spaces": lambda: among("bob" + " " * 120_000_000),
    "bob and 20 million spaces": lambda: among("bob" + " " * 20_000_000),
    "bob after 20 million spaces": lambda: among(" " * 20_000_000 + "bob"),
    "bob and ten million ideographic spaces": lambda: among("bob" + "\u3000" * 10_000_000),
    "bob and five million marks": lambda: among("bob" + "\u0301" * 5_000_000),
    "bob and a space": lambda: among("bob "),
    "200,000 names": lambda: among("bob", strangers(200_000)),
    "30,000 names of 200 letters": lambda: among("bob", [each.ljust(200, "y") for each in strangers(30_000)]),
    "names whose looks are long": lambda: among("bob", ["\ufdfa" * 190 + each for each in strangers(3_000)]),
    "bob twice": lambda: among("bob", ["Bob", *HONEST[1:]]),
    "bob with a Cyrillic o": lambda: among("b\u043eb", ["bob", *HONEST[1:]]),
    "bob in full width": lambda: among("\uff42\uff4f\uff42"),
    "bob with a joiner": lambda: among("bo\u034fb"),
    "bob with a variation selector": lambda: among("bob\ufe0f"),
    "bob with a filler": lambda: among("bob\u3164"),
    "bob backwards": lambda: among("\u202ebob"),
    "bob with a tag": lambda: among("bob\U000e0062"),
    "bob with a line's end": lambda: among("bob\n"),
    "a name that is no text": lambda: among("bob", ["\ud800", *HONEST[1:]]),
    "bob with an @": lambda: among("@BOB"),
}


class Hostile(ThreadingHTTPServer):
    """A collector that publishes a roster and takes every report."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, str]] = []
        self.publication = b""

    @property
    def invitation(self) -> Invitation:
        return Invitation(f"http://127.0.0.1:{self.server_address[1]}", "cats", "a-token")

    def publish(self, roster: Sequence[str], epoch: int) -> None:
        """Publish a roster for an epoch, under its own digest where it has one."""
        try:
            digest = roster_digest(roster)
        except UnicodeEncodeError:
            digest = "0" * 64
        choices = (Choice("one", 1.0, 0.0),)
        terms = Published("cats", "Cats", len(roster), "noisy-degrees", choices, digest, epoch, user=7)
        self.publication = write_publication(terms, (), json.dumps(roster)).encode()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that runs out of memory hangs up."""


class _Handler(BaseHTTPRequestHandler):
    server: Hostile

    def do_GET(self) -> None:
        self._answer(200, self.server.publication)

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(201, b"")

    def _answer(self, status: int, body: bytes) -> None:
        self.server.requests.append((self.command, self.path))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def hostile() -> Iterator[Hostile]:
    server = Hostile()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class Seen(NamedTuple):
    """What the adversary sees of one user, and what her device does."""

    requests: list[tuple[str, str]]
    codes: list[object]
    peak: int


def seen(server: Hostile, folder: Path, friends: Sequence[str], roster: list[str], *, new_epoch: bool) -> Seen:
    """One user: she joins and reports, or has reported by an honest roster and takes a new epoch."""
    folder.mkdir()
    (folder / "friends.txt").write_text("\n".join(friends))
    (folder / "invitation").write_text(server.invitation.to_json())
    report = ["client", "report", "cats", "--friends", str(folder / "friends.txt"), "--yes"]
    join = ["client", "join", str(folder / "invitation"), "--accept", "1"]
    environment = os.environ | {"GRAPHLDP_CLIENT_HOME": str(folder / "home"), "OMP_NUM_THREADS": "1"}
    server.requests = []
    if new_epoch:
        server.publish(HONEST, 1)
        _run([join, report], environment)
    server.publish(roster, 1 + new_epoch)
    codes, peak = _run([[*report, "--new-epoch"]] if new_epoch else [join, report], environment)
    return Seen(server.requests, codes, peak)


def _run(commands: list[list[str]], environment: dict[str, str]) -> tuple[list[object], int]:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(commands)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    assert done.returncode == 0, done.stderr
    assert "bob" not in (done.stdout + done.stderr).lower()
    codes, peak = json.loads(done.stdout.splitlines()[-1])
    return codes, 1024 * peak


@pytest.mark.long
@pytest.mark.attack("device")
@pytest.mark.parametrize("place", range(len(ROSTERS)), ids=ROSTERS)
def test_no_roster_tells_by_silence_or_memory_who_is_a_friend(tmp_path: Path, hostile: Hostile, place: int) -> None:
    """A roster with a huge, hidden or doubled name that only a friend's device would stumble over."""
    roster, new_epoch = list(ROSTERS.values())[place](), place % 2 == 1
    lists = (["bob", "user3"], ["zed", "user3"]) if place % 4 < 2 else (["user3", "bob"], ["user3"])
    first, second = (
        seen(hostile, tmp_path / str(number), friends, roster, new_epoch=new_epoch)
        for number, friends in enumerate(lists)
    )
    assert first.requests == second.requests
    assert first.codes == second.codes
    if any(method == "PUT" for method, _ in first.requests):  # else nobody was looked up
        assert abs(first.peak - second.peak) < max(BAND, first.peak // SHARE)


@pytest.mark.long
def test_honest_rosters_and_long_ones_are_reported_to(tmp_path: Path, hostile: Hostile) -> None:
    """The silence that is the same for all is not the silence of a client that reports to nobody."""
    for number, (name, sent) in enumerate((("bob among strangers", 1), ("200,000 names", 1), ("bob and a space", 0))):
        found = seen(hostile, tmp_path / str(number), ["bob"], ROSTERS[name](), new_epoch=False)
        assert sum(method == "PUT" for method, _ in found.requests) == sent
