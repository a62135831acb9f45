from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from graphldp.audit import exact, rounds, traffic
from graphldp.cli.audit import app
from graphldp.client.sampling import sampler
from graphldp.errors import ParameterError
from graphldp.mechanisms.named import mechanisms


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_a_mechanism() -> None:
    result = run("rr", "-e", "1", "--draws", "2000", "--json")
    assert result.exit_code == 0
    (found,) = json.loads(result.stdout)
    assert found["holds"]
    assert found["claimed"] == 1.0


@pytest.mark.parametrize("broken", [False, True])
def test_hub_lists_can_fail(monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    from graphldp.mechanisms.degrees import noise
    from graphldp.mechanisms.hubs import hub_lists

    if broken:
        real = noise.noisy_degrees
        monkeypatch.setattr(hub_lists, "noisy_degrees", lambda rows, epsilon, *rest: real(rows, 1.8 * epsilon, *rest))
    result = run("hub-lists", "-e", "1", "--draws", "20000", "--json")
    assert result.exit_code == broken
    assert [row["holds"] for row in json.loads(result.stdout)] == [not broken] * 2  # discrete and Laplace noise


def test_a_mechanism_of_one_s_own() -> None:
    own = f"{Path(__file__).parents[2] / 'examples' / 'own_mechanism.py'}:HalfResponse"
    result = run(own, "-e", "1", "--draws", "2000", "--json")
    assert result.exit_code == 0
    (found,) = json.loads(result.stdout)
    assert (found["claimed"], found["holds"]) == (1.0, True)


def test_without_a_name_all_are_audited() -> None:
    result = run("--draws", "4000", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    for record in (record for record in mechanisms() if record.private):
        assert sum(f" {record.kind.__name__}(" in row["effort"] for row in found) == len(record.audited_with)


def test_what_promises_nothing_is_not_audited() -> None:
    result = run("nonpriv-full")
    assert isinstance(result.exception, ParameterError)
    assert "promises something" in str(result.exception)


def test_the_wire() -> None:
    result = run("wire", "--draws", "300", "--json")
    assert result.exit_code == 0
    assert sum(row["inputs"] for row in json.loads(result.stdout)) == 300


@pytest.fixture
def few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """One ε, and one pair of lists meets the lying collector in one kind of community; tests of the audits have all."""
    for module in (exact, rounds):
        monkeypatch.setattr(module, "SPENT", (1.0,))
    monkeypatch.setattr(exact, "thresholds", partial(exact.thresholds, exact.EPSILONS2[::8]))
    monkeypatch.setattr(traffic, "NEIGHBOURS", traffic.NEIGHBOURS[:1])
    monkeypatch.setattr(traffic, "KINDS", {"a list": traffic.KINDS["a list"]})
    monkeypatch.setattr(traffic, "FIRST", traffic.FIRST[:1])


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize("broken", [False, True])
def test_the_client(monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    if broken:
        real = sampler.thresholds
        monkeypatch.setattr(sampler, "thresholds", lambda *arguments: (0, real(*arguments)[1]))
    result = run("client", "--draws", "200", "--users", "2", "--json")
    assert result.exit_code == broken
    found = json.loads(result.stdout, parse_constant=pytest.fail)
    for row in found:
        without_list = any(name in row["effort"] for name in ("noisy-degrees", "friend-counts"))
        if without_list or row["check"] == "protocol":
            assert row["holds"]  # no thresholds
        elif row["check"] == "reports":
            assert row["holds"] is not broken
    assert {name for name in exact.LIVE for row in found if name in row["effort"]} == set(exact.LIVE)
