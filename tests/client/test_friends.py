from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from graphldp.client.friends import match, numbered, read_names
from graphldp.errors import FormatError

VECTORS = json.loads((Path(__file__).parent / "vectors" / "friends.json").read_text())
ROSTER = ["ann@example.social", "Bob@example.social", "carl", "Dörte", "eve"]
NUMBERS = numbered(ROSTER)
MASTODON = """Account address,Show boosts,Notify on new posts,Languages
bob@example.social,true,false,
stranger@elsewhere.example,true,false,
eve,true,false,"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("friends.txt", "# mine\nbob@example.social\n\n @EVE \nstranger@elsewhere.example\n"),
        ("following_accounts.csv", MASTODON),
        ("friends.csv", 'since,name\n2020,"bob@example.social"\n2021,eve\n2022,nobody\n'),
        ("plain.csv", "bob@example.social\neve\nnobody\n"),
        ("friends.json", json.dumps(["bob@example.social", "eve", "nobody"])),
        ("objects.json", json.dumps([{"acct": "bob@example.social"}, {"name": "eve"}, {"username": "nobody"}])),
        (
            "follows.json",
            json.dumps({"follows": [{"handle": "bob@example.social"}, {"handle": "eve"}, {"handle": "x"}]}),
        ),
        ("bom.txt", "\ufeffbob@example.social\neve\nnobody"),
    ],
)
def test_every_format_gives_the_same_friends(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = match(read_names(tmp_path / name), NUMBERS, user=2)
    assert found.neighbours == (1, 4)
    assert found.unmatched == 1


def test_names_are_matched_by_letter_not_by_bytes() -> None:
    assert match(["DO\u0308RTE"], NUMBERS, user=0).neighbours == (3,)


def test_the_own_name_and_doubles_are_dropped() -> None:
    found = match(["Carl", "@carl", "eve", "EVE", ""], NUMBERS, user=2)
    assert found.neighbours == (4,)
    assert found.unmatched == 0


def test_a_name_longer_than_any_of_a_roster_is_not_looked_at_whole() -> None:
    found = match([" " * 100_000 + "eve", "eve" + "\u0301" * 100_000], NUMBERS, user=2)
    assert (found.neighbours, found.unmatched) == ((), 2)


@pytest.mark.attack("device")
@pytest.mark.parametrize("roster", [ROSTER, ["é" * 200 for _ in "a"] + [f"{number:0200d}" for number in range(2_000)]])
def test_matching_takes_the_same_memory_whoever_matches(roster: list[str]) -> None:
    """A roster of long names that would cost memory only where one of them is a friend's."""
    peaks = []
    for name in (roster[1], "x" * len(roster[1])):
        tracemalloc.start()
        match([name], numbered(roster), user=0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert abs(peaks[0] - peaks[1]) < 100


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b"{"),
        ("a.json", b'{"name": "secret-name"}'),
        ("a.json", b'[{"since": "secret-name"}]'),
        ("a.json", b"[3]"),
        ("a.json", b'{"follows": "secret-name"}'),
        ("a.csv", b'"secret-name\n'),
        ("a.txt", b"\xff\xfe\x00"),
    ],
)
def test_bad_files_are_refused_without_repeating_them(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError) as caught:
        read_names(tmp_path / name)
    assert "secret-name" not in str(caught.value)


def test_an_empty_file_has_no_friends(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("")
    assert read_names(tmp_path / "a.csv") == []


@pytest.mark.parametrize("case", VECTORS["valid"], ids=lambda case: case["file"])
def test_a_file_holds_the_names_that_every_client_reads(tmp_path: Path, case: dict[str, Any]) -> None:
    (tmp_path / case["file"]).write_bytes(case["data"].encode())
    assert read_names(tmp_path / case["file"]) == case["names"]


@pytest.mark.parametrize("case", VECTORS["invalid"], ids=lambda case: case["file"])
def test_what_no_client_reads_is_refused(tmp_path: Path, case: dict[str, Any]) -> None:
    data = case["data"].encode() if "data" in case else bytes.fromhex(case["hex"])
    (tmp_path / case["file"]).write_bytes(data)
    with pytest.raises(FormatError):
        read_names(tmp_path / case["file"])
