"""The same randomness gives the same bytes, in every language: ``draws.json`` is for clients other than this one."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from graphldp.client.sampling import hubs, pairs, sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.wire import encode

VECTORS = json.loads((Path(__file__).parents[2] / "wire" / "vectors" / "draws.json").read_text("utf-8"))


@pytest.mark.parametrize("vector", VECTORS["draws"], ids=lambda vector: vector["name"])
def test_the_bytes_are_those_of_the_randomness(vector: dict[str, Any]) -> None:
    randomness = BytesIO(bytes.fromhex(vector["randomness"]))
    given = {name: vector[name] for name in ("n", "user", "epsilon1")} | {"hub_from": vector.get("hub_from")}
    entropy = Entropy(_source=randomness.read)
    if vector["mechanism"] == "hub-counts":
        report, noise = hubs.draw(vector["friends"], **given, _entropy=entropy)
        assert noise == vector["noise"]
    elif vector["mechanism"] == "closed-pairs":
        given = {name: vector[name] for name in ("n", "user", "epsilon1", "epsilon2")}
        report, noise = pairs.draw(vector["friends"], **given, _entropy=entropy)
        assert noise == vector["noise"]
    else:
        given |= {"mechanism": vector["mechanism"], "epsilon2": vector["epsilon2"]}
        report = sampler.draw(vector["friends"], **given, groups=vector.get("groups"), _entropy=entropy)
    assert encode(report).hex() == vector["report"]
    assert not randomness.read()
