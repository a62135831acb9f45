from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from graphldp.cli.audit import app
from graphldp.client import sampler


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


def test_a_mechanism():
    result = run("mechanism", "-m", "rr", "-e", "1", "--samples", "2000", "--json")
    assert result.exit_code == 0
    (found,) = json.loads(result.stdout)
    assert found["holds"]
    assert found["claimed"] == 1.0


def test_the_wire():
    result = run("wire", "--inputs", "300", "--json")
    assert result.exit_code == 0
    assert sum(row["inputs"] for row in json.loads(result.stdout)) == 300


@pytest.mark.parametrize("broken", [False, True])
def test_the_client(monkeypatch, broken):
    from graphldp.audit import exact

    monkeypatch.setattr(exact, "SHORT_WORDS", {2: 4})
    if broken:
        real = sampler.thresholds
        monkeypatch.setattr(sampler, "thresholds", lambda *arguments: (0, real(*arguments)[1]))
    result = run("client", "--samples", "200", "--json")
    assert result.exit_code == broken
    found = {row["check"]: row for row in json.loads(result.stdout, parse_constant=pytest.fail)}
    assert found["reports"]["holds"] is not broken
    assert found["protocol"]["holds"]
