from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from graphldp.audit.protocol import ROSTER, failing_collector
from graphldp.cli.client import app
from graphldp.errors import ParameterError
from graphldp.wire import decode


@pytest.fixture
def server():
    with failing_collector() as running:
        yield running


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHLDP_CLIENT_HOME", str(tmp_path / "home"))

    def call(*arguments: str, text: str | None = None):
        return CliRunner().invoke(app, list(arguments), input=text, catch_exceptions=False)

    return call


@pytest.fixture
def friends(tmp_path):
    path = tmp_path / "friends.txt"
    path.write_text("\n".join([*ROSTER[10:20], "a-stranger"]))
    return str(path)


def test_join_report_status_forget(run, server, friends):
    joined = run("join", "-", "--accept", "1.5", "--cap", "2", "--json", text=server.invitation.to_json())
    assert json.loads(joined.stdout)["choices"] == {"standard": "1"}

    dry = run("report", "audit", "--friends", friends, "--dry-run")
    assert server.bodies == []
    assert "ε = 1: whatever someone believed before" in dry.stdout
    assert "factor of 2.718 at most" in dry.stdout
    assert "Who believed in a friendship with 50% believes in it with 26.9% to 73.1% after." in dry.stdout
    assert "Nothing was sent" in dry.stdout
    assert "a-stranger" not in dry.output

    sent = json.loads(run("report", "audit", "--json").stdout)
    assert sent["acknowledged"]
    assert [body.hex() for body in server.bodies] == [sent["bytes"]]
    assert sent["bytes"] in dry.stdout
    assert json.loads(dry.stdout.splitlines()[3]) == sent["report"]
    assert decode(bytes.fromhex(sent["bytes"])).n == len(ROSTER)

    status = json.loads(run("status", "--json").stdout)
    assert (status["spent"], status["cap"], status["left"]) == ("1", "2", "1")
    assert status["reports"][0]["state"] == "acknowledged"

    assert "deleted" in run("forget", "audit").stderr
    assert json.loads(run("status", "--json").stdout)["reports"][0]["state"] == "acknowledged, forgotten"


def test_an_invitation_as_a_file_and_as_text(run, server, tmp_path):
    (tmp_path / "invitation.json").write_text(server.invitation.to_json())
    for given in (str(tmp_path / "invitation.json"), server.invitation.to_json()):
        assert run("join", given, "--accept", "public").exit_code == 0
    assert json.loads(run("status", "--json").stdout)["reports"][0]["state"] == "joined"


@pytest.mark.parametrize("accept", ["0", "-1", "much", "nan", "1/0"])
def test_bad_epsilons(run, server, accept):
    with pytest.raises(ParameterError, match="'accept' parameter"):
        run("join", server.invitation.to_json(), f"--accept={accept}")
