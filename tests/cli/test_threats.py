from __future__ import annotations

import json
from typing import Any

from graphldp.threats.named import ATTACKS, DEFENSES


def test_every_attack_and_defense_is_shown(command: Any) -> None:
    code, printed, _ = command("threats", "--json")
    assert code == 0
    rows = {row["name"]: row for row in json.loads(printed)}
    assert list(rows) == [*ATTACKS, *DEFENSES]
    assert rows["row-column"]["fits"] == "rr"
    assert rows["random"]["fits"] == "dprr, rr, arr, local-lap, blink"
    assert rows["fake-hub"]["fits"] == "noisy-degrees, hub-lists, hub-counts"
