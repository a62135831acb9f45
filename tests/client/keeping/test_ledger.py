from __future__ import annotations

import json
import math
import stat
from pathlib import Path

import pytest

from graphldp.client.keeping import vault
from graphldp.client.keeping.ledger import Ledger, shown
from graphldp.errors import ClientError, FormatError
from graphldp.wire import Choice

TENTH = Choice("tenth", 0.05, 0.05)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.json")


def test_sums_are_exact_and_the_cap_is_reached_but_not_passed(ledger: Ledger, tmp_path: Path) -> None:
    ledger.set_cap(10**6)
    for number in range(10):  # ten tenths are one, which floats would miss
        ledger.charge("https://a.example", f"c{number}", 1, TENTH)
    assert ledger.spent == ledger.cap == Ledger(tmp_path / "ledger.json").spent
    with pytest.raises(ClientError, match="lifetime cap of 1; nothing was drawn"):
        ledger.charge("https://b.example", "other", 1, Choice("least", 0.0, 0.000001))


def test_a_report_that_was_never_drawn_is_not_charged_twice(ledger: Ledger) -> None:
    for _ in range(3):
        ledger.charge("https://a.example", "c", 1, TENTH)
    assert ledger.spent == 100_000


def test_epochs_and_servers_add_up(ledger: Ledger) -> None:
    for server, epoch in (("https://a.example", 1), ("https://a.example", 2), ("https://b.example", 1)):
        ledger.charge(server, "c", epoch, TENTH)
    assert ledger.spent == 300_000


@pytest.mark.attack("device")
def test_one_slot_under_two_ways_to_write_its_address_has_both_costs(ledger: Ledger, tmp_path: Path) -> None:
    """One server under two addresses, such as https://h and https://h:443, to get two reports for one ε."""
    ledger.charge("https://a.example", "c", 1, TENTH)
    ledger.mark(ledger.entries[0], drawn=True)
    kept = ledger.to_json()
    kept["entries"].append(kept["entries"][0] | {"server": "HTTPS://A.example.:443/", "drawn": False, "sent": True})
    (tmp_path / "ledger.json").write_text(json.dumps(kept))
    again = Ledger(tmp_path / "ledger.json")
    assert [each.server for each in again.entries] == ["https://a.example"]
    assert (again.spent, again.entries[0].drawn, again.entries[0].sent) == (200_000, True, True)


def test_a_public_list_is_noted_without_a_cost(ledger: Ledger) -> None:
    ledger.set_cap(1)
    ledger.charge("https://a.example", "c", 1, Choice("open", math.inf, math.inf))
    assert ledger.spent == 0
    assert ledger.entries[0].millionths is None


def test_marks_stay(ledger: Ledger, tmp_path: Path) -> None:
    ledger.charge("https://a.example", "c", 1, TENTH)
    ledger.mark(ledger.entries[0], drawn=True)
    ledger.mark(ledger.entries[0], sent=True)
    again = Ledger(tmp_path / "ledger.json")
    assert again.entries[0].drawn
    assert again.entries[0].sent
    assert again.last_epoch("https://a.example", "c") == 1


@pytest.mark.parametrize("text", ["{", "{}", '{"cap": 1, "entries": [{"server": "x"}]}'])
def test_a_damaged_ledger_stops_everything(tmp_path: Path, text: str) -> None:
    (tmp_path / "ledger.json").write_text(text)
    with pytest.raises(FormatError, match="damaged"):
        Ledger(tmp_path / "ledger.json")


def written(ledger: Ledger, path: Path) -> Path:
    path.write_text(json.dumps(ledger.to_json()))
    return path


def test_another_clients_ledger_adds_what_it_spent_and_drew(ledger: Ledger, tmp_path: Path) -> None:
    other = Ledger(tmp_path / "other.json")
    for each, communities in ((ledger, ("both", "ours")), (other, ("both", "theirs"))):
        for community in communities:
            each.charge("https://a.example", community, 1, TENTH)
    dear = Choice("dear", 0.1, 0.1)
    other.charge("https://a.example", "both", 1, dear)
    other.mark(other.entries[-1], drawn=True, sent=True)
    other.mark_second(other.entries[-1], "0" * 64)
    other.set_cap(3 * 10**6)
    file = written(other, tmp_path / "exported.json")
    for _ in range(2):  # a second time it says nothing new
        ledger.add(file)
        assert ledger.spent == 400_000
        assert ledger.cap == 3 * 10**6
        assert ledger.last_epoch("https://a.example", "both") == 1
        both = ledger.find("https://a.example", "both", 1)
        assert both is not None
        assert (both.choice, both.sent, both.question) == ("dear", True, "0" * 64)
    assert Ledger(tmp_path / "ledger.json").entries == ledger.entries


def test_adding_never_lowers_a_cost_or_takes_back_a_mark(ledger: Ledger, tmp_path: Path) -> None:
    other = Ledger(tmp_path / "other.json")
    ledger.charge("https://a.example", "c", 1, Choice("open", math.inf, math.inf))
    ledger.mark(ledger.entries[0], drawn=True, sent=True)
    ledger.mark_second(ledger.entries[0], "1" * 64, answered=True)
    ledger.set_cap(1)
    before = ledger.to_json()
    other.charge("https://a.example", "c", 1, TENTH)
    other.mark_second(other.entries[0], "0" * 64)
    ledger.add(written(other, tmp_path / "exported.json"))
    assert ledger.to_json() == before


@pytest.mark.parametrize("text", ["", "[]", '{"cap": 1}', '{"cap": 1, "entries": [{"server": "x"}]}', "[" * 10**5])
def test_what_is_no_ledger_changes_nothing(ledger: Ledger, tmp_path: Path, text: str) -> None:
    ledger.charge("https://a.example", "c", 1, TENTH)
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(FormatError, match="not a ledger that a client has written"):
        ledger.add(tmp_path / "other.json")
    assert Ledger(tmp_path / "ledger.json").entries == ledger.entries


def test_files_and_folders_are_the_owners_alone(tmp_path: Path) -> None:
    vault.keep(tmp_path / "a" / "b" / "c.json", {"x": 1})
    assert stat.S_IMODE((tmp_path / "a" / "b" / "c.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    assert json.loads((tmp_path / "a" / "b" / "c.json").read_text()) == {"x": 1}


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    vault.keep(tmp_path / "c.json", {"x": 1})
    with pytest.raises(TypeError):
        vault.keep(tmp_path / "c.json", {"x": object()})
    assert vault.kept(tmp_path / "c.json") == {"x": 1}


def test_epsilon_is_shown_in_full() -> None:
    assert [shown(each) for each in (1, 100_000, 10**6, 2_500_000, None)] == ["0.000001", "0.1", "1", "2.5", "public"]
