"""A client killed at any point, by a real SIGKILL, never sends two different reports, nor two different answers."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from graphldp.audit.protocol import ROSTER, USER, FailingCollector, failing_collector
from graphldp.audit.traffic import HUB_COUNTS, Given, asked
from graphldp.client.keeping import vault
from graphldp.client.protocol import Client
from graphldp.wire import Answer

# For every k: a fresh copy of a vault; a child that is killed before its k-th call that writes, syncs, renames or
# sends, or after one that sent; then a run to the end. What is run is a report, or without a list an answer.
DRIVER = """
import os, shutil, signal, sys
from pathlib import Path
import httpx
from graphldp.client.protocol import Client

joined = Path(sys.argv[1])

def run(client):
    if len(sys.argv) > 2:
        client.report("audit", friends_file=Path(sys.argv[2]))
    else:
        client.answer("audit")

def killed_at(step, home):
    left = [step]
    def tick():
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    def ticking(call, after=False):
        def wrapped(*args, **options):
            tick()
            answer = call(*args, **options)
            if after:
                tick()
            return answer
        return wrapped
    os.open, os.fsync, os.replace = ticking(os.open), ticking(os.fsync), ticking(os.replace)
    httpx.Client.send = ticking(httpx.Client.send, after=True)
    run(Client(home, tick=0.0, pauses=(), timeout=60.0))

step = 0
while True:
    step += 1
    home = joined.with_name(f"home-{step}")
    shutil.copytree(joined, home)
    child = os.fork()
    if child == 0:
        try:
            killed_at(step, home)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    run(Client(home, tick=0.0, pauses=(), timeout=60.0))
    ledger, _ = Client(home).status()
    assert ledger.spent == 10**6, ledger.spent
    if not os.WIFSIGNALED(status):
        print(step)
        break
"""


def killed_everywhere(*arguments: Path) -> int:
    """Run the driver; how many vaults it took."""
    command = [sys.executable, "-c", DRIVER, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return int(run.stdout)


@pytest.mark.attack("device")
def test_killed_at_every_step(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    """A damaged vault, a full disk, a kill at every step."""
    Client(tmp_path / "home", tick=0.0, pauses=(), timeout=60.0).join(server.invitation, accept=10**6)
    vaults = killed_everywhere(tmp_path / "home", friends)
    assert vaults > 20
    assert len(server.bodies) > vaults  # where the kill came after sending, the same bytes came twice
    kept = {vault.kept(path)["report"] for path in tmp_path.glob("home-*/memberships/*/report-1.json")}
    assert {body.hex() for body in server.bodies} == kept


def test_killed_at_every_step_of_an_answer(tmp_path: Path, server: FailingCollector, friends: Path) -> None:
    """All copies have the same noise, so all of them answer the same, killed or not; then none knows it any more."""
    server.changes = dict(HUB_COUNTS)
    client = Client(tmp_path / "home", tick=0.0, _entropy=Given(2, 5), pauses=(), timeout=60.0)
    client.join(server.invitation, accept=10**6)
    client.report("audit", friends_file=friends)
    server.question = asked((11, 12, 30))
    vaults = killed_everywhere(tmp_path / "home")
    assert vaults > 8
    assert len(server.answers) > vaults  # where the kill came after sending, the same bytes came twice
    assert set(server.answers) == {Answer(len(ROSTER), USER, sha256(server.question).hexdigest(), 2 + 5).encode()}
    for path in tmp_path.glob("home-*/memberships/*/report-1.json"):
        assert vault.kept(path).get("noise") is None


FULL = """
import resource, signal, sys
from pathlib import Path
from graphldp.client.protocol import Client

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
Client(Path(sys.argv[1]), tick=0.0, pauses=(), timeout=60.0).report("audit", friends_file=Path(sys.argv[2]))
"""


@pytest.mark.parametrize("room", [100, 500])  # too little for the ledger; enough for it, too little for the report
def test_a_full_disk_loses_nothing_and_sends_nothing(tmp_path: Path, room: int) -> None:
    friends = tmp_path / "friends.txt"
    names = [f"user{number}" for number in range(4_000)]
    friends.write_text("\n".join(names[100:]))
    with failing_collector() as server:
        server.changes = {"roster": names, "n": len(names)}
        client = Client(tmp_path / "home", tick=0.0, pauses=(), timeout=60.0)
        client.join(server.invitation, accept=10**6)
        command = [sys.executable, "-c", FULL, str(tmp_path / "home"), str(friends), str(room)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "File too large" in run.stderr
        assert ("ledger.json" if room == 100 else "report-1.json") in run.stderr
        assert server.bodies == []
        assert client.report("audit", friends_file=friends).acknowledged
        assert client.status()[0].spent == 10**6
