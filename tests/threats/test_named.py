"""The one table of attacks and defenses: whose reports they fit, and one of one's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.mechanisms.named import NamedMechanism, mechanisms
from graphldp.threats import Poison
from graphldp.threats.named import ATTACKS, DEFENSES, defense_label, make_attack, make_defense

GRAPHS = gl.synthetic.barabasi_albert(n=12, m=2, num_graphs=3, seed=0).with_groups(np.arange(36) % 2)
GRAPHS = GRAPHS.with_features(np.arange(72).reshape(36, 2) / 72).with_node_labels(np.arange(36) // 18)
PRIVATE = [each for each in mechanisms() if each.private]

OWN = """
from dataclasses import dataclass
import numpy as np
from graphldp.threats import Defense, Poison, Verdict

class Loud(Poison):
    def __init__(self, *, fraction, forge_degree=True):
        super().__init__(1.0, 1.0, fraction=fraction, forge_degree=forge_degree)

@dataclass(frozen=True)
class Longest(Defense):
    share: float = 0.5
    def judge(self, reports):
        return Verdict(reports.degrees.astype(np.float64), np.full(reports.num_users, self.share * 11))

class Needy(Loud):
    def __init__(self, more, **others):
        super().__init__(**others)
"""


@pytest.mark.parametrize("record", PRIVATE, ids=lambda record: record.name)
@pytest.mark.parametrize("name", DEFENSES)
def test_a_defense_fits_the_mechanisms_that_its_record_says(name: str, record: NamedMechanism) -> None:
    reports = record.make(2.0, **record.audited_with[0]).randomize(GRAPHS, rng=0)
    if record.name in DEFENSES[name].fits:
        assert make_defense(name).judge(reports).score.shape == (reports.num_users,)
    else:
        with pytest.raises(DataError, match="derived for reports drawn by"):
            make_defense(name).judge(reports)


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_is_made(name: str) -> None:
    assert make_attack(name, fraction=0.25).fraction == 0.25
    assert make_attack(name, liars=3).liars == 3


@pytest.mark.parametrize("record", PRIVATE, ids=lambda record: record.name)
@pytest.mark.parametrize("name", ["all-ones", "fake-hub"])
def test_an_attack_fits_the_mechanisms_that_its_record_says(name: str, record: NamedMechanism) -> None:
    reports = record.make(2.0, **record.audited_with[0]).randomize(GRAPHS, rng=0)
    if record.name in ATTACKS[name].fits:
        assert make_attack(name, liars=1).apply(reports, rng=0).num_users == reports.num_users
    else:
        with pytest.raises(DataError, match=r"derived for reports drawn by|rewrites lists"):
            make_attack(name, liars=1).apply(reports, rng=0)


def test_labels_tell_them_apart() -> None:
    for table in (ATTACKS, DEFENSES):
        assert len({each.label for each in table.values()}) == len(table)
    assert defense_label("somewhere.py:Longest") == "Longest"  # which is not loaded for it


def test_one_s_own(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(OWN)
    reports = gl.RR(2.0).randomize(GRAPHS, rng=0)
    loud = make_attack(f"{path}:Loud", fraction=0.5).apply(reports, rng=1)
    assert np.array_equal(loud.indices, Poison.all_ones(fraction=0.5).apply(reports, rng=1).indices)
    verdict = make_defense(f"{path}:Longest", treatment="empty").judge(loud)
    assert np.array_equal(verdict.flagged, loud.degrees >= 5.5)
    with pytest.raises(ParameterError, match=r"Needy cannot be made from fraction, forge_degree alone: .*more"):
        make_attack(f"{path}:Needy", fraction=0.5)
    with pytest.raises(ParameterError, match="must be a whole kind of Defense"):
        make_defense(f"{path}:Loud")


def test_unknown_names() -> None:
    with pytest.raises(ParameterError, match="'attack' parameter of graphldp must be one of all-ones"):
        make_attack("loud", fraction=0.5)
    with pytest.raises(ParameterError, match="'defense' parameter of graphldp must be one of threshold"):
        make_defense("loud")
