"""The live demo as a real run: a collector, clients with their vaults, labels, and the dashboard until Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.cli.conftest import Command

import graphldp as gl
from graphldp.cli import demo
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.experiments import speed
from graphldp.experiments.service import live
from graphldp.intervals import share_bounds

RUN = """
import sys
from pathlib import Path
from graphldp.cli.demo import run_live
from graphldp.experiments.service import live
live.DRAWS = 2
run_live(Path(sys.argv[1]), users=280, keep=True, as_json=True)
"""


@pytest.mark.long
def test_from_invitations_to_the_dashboard(tmp_path: Path) -> None:
    started = [sys.executable, "-c", RUN, str(tmp_path / "out")]
    with subprocess.Popen(started, stdout=subprocess.PIPE, cwd=tmp_path, text=True) as process:
        assert process.stdout is not None
        try:
            found = json.loads(process.stdout.readline())
            with httpx.Client(follow_redirects=True, timeout=60) as browser:
                page = browser.post(found["dashboard"].replace("dashboard", "login"), data={"key": found["key"]})
            assert page.status_code == 200
            assert "thread-28" in page.text
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(300) == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(found["dashboard"])

    assert [each.name for each in tmp_path.iterdir()] == ["out"]  # no litter
    assert [row["community"] for row in found["labels"]] == [f"thread-{place}" for place in range(20, 29)]
    assert {row["truth"] for row in found["labels"]} == set(live.KINDS)
    assert found["right"] == sum(row["predicted"] == row["truth"] for row in found["labels"])
    assert found["accuracy"] == found["right"] / 9
    assert [found["low"], found["high"]] == [float(end) for end in share_bounds(found["right"], 9)]
    assert len(found["simulated"]) == 2
    assert found["mechanism"] == gl.recommended(found["epsilon"]).mechanism.origin.name
    store = Store.open(found["database"])
    communities, progress = store.communities(), store.tally.of()
    users, reported = (sum(column) for column in zip(*(progress[each.key][:2] for each in communities), strict=True))
    homes = list((tmp_path / "out").glob("live-*/clients/*/*"))
    assert sum(each.label is not None for each in communities) == 19
    assert len(homes) == users == sum(each.n for each in communities) >= 280
    assert len([home for home in homes if list(home.glob("memberships/*/report-1.json"))]) == reported < users
    assert len(store.results.predictions()) == 9
    store.close()


def test_too_few_users(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'users' parameter of the live demo"):
        demo.run_live(tmp_path / "out", users=100, keep=False)
    assert list(tmp_path.iterdir()) == []


def test_keep_goes_with_live(command: Command) -> None:
    code, out, err = command("demo", "--keep")
    assert (code, out) == (2, "")
    assert "--live" in err


def test_a_draw_and_epochs_beside_pyg(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "dataset", lambda root: gl.synthetic.threads(num_graphs=2 * speed.BATCH, seed=0))
    monkeypatch.setattr(speed, "ROUNDS", 1)
    code, printed, _ = command("bench", "--json")
    assert code == 0
    draw, *epochs = json.loads(printed)
    assert draw["times ours"] is None
    assert len(epochs) == 4
    for ours, peer in (epochs[:2], epochs[2:]):
        assert ours["times ours"] == 1
        assert peer["times ours"] == pytest.approx(peer["seconds"] / ours["seconds"], abs=0.06, rel=0.1)
        assert min(ours["processor seconds"], peer["processor seconds"]) > 0
