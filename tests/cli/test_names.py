from __future__ import annotations

import json
from typing import Any

from graphldp import wire
from graphldp.mechanisms import named
from graphldp.threats.named import ATTACKS, DEFENSES


def test_every_mechanism_is_shown(command: Any) -> None:
    code, printed, _ = command("mechanism", "--json")
    assert code == 0
    rows = json.loads(printed)
    assert [row["name"] for row in rows] == list(named.names())
    assert {row["name"] for row in rows if row["live"]} == set(wire.MECHANISMS) - {"public"}
    assert next(row for row in rows if row["name"] == "blink")["parameters"] == "delta, noise"


def test_people_read_it(command: Any) -> None:
    code, printed, _ = command("mechanism")
    assert code == 0
    line = next(line for line in printed.splitlines() if "NonPriv-Full" in line)
    assert line.count("no") == 3  # its name, and neither private nor live


def test_every_attack_and_defense_is_shown(command: Any) -> None:
    code, printed, _ = command("threat", "--json")
    assert code == 0
    rows = {row["name"]: row for row in json.loads(printed)}
    assert list(rows) == [*ATTACKS, *DEFENSES]
    assert rows["row-column"]["fits"] == "rr"
    assert rows["random"]["fits"] == "dprr, rr, arr, local-lap, blink"
    assert rows["fake-hub"]["fits"] == "noisy-degrees, hub-lists, hub-counts"
