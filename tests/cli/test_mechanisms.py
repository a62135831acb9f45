from __future__ import annotations

import json
from typing import Any

from graphldp import wire
from graphldp.mechanisms import named


def test_every_mechanism_is_shown(command: Any) -> None:
    code, printed, _ = command("mechanisms", "--json")
    assert code == 0
    rows = json.loads(printed)
    assert [row["name"] for row in rows] == list(named.names())
    assert {row["name"] for row in rows if row["live"]} == set(wire.MECHANISMS) - {"public"}
    assert next(row for row in rows if row["name"] == "blink")["parameters"] == "delta, noise"


def test_people_read_it(command: Any) -> None:
    code, printed, _ = command("mechanisms")
    assert code == 0
    line = next(line for line in printed.splitlines() if "NonPriv-Full" in line)
    assert line.count("no") == 3  # its name, and neither private nor live
