"""Opening a community, with its mechanism, its roster and its groups."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.collect.conftest import read
from tests.cli.conftest import Command

import graphldp as gl
from graphldp import wire


@pytest.mark.parametrize("epsilons", [("1",), ("0.2", "1"), ("2",), ("1", "2"), ("1.000001",)])
def test_without_a_mechanism_it_is_the_recommended_one(
    command: Command, database: str, roster: Path, epsilons: tuple[str, ...]
) -> None:
    given = [part for each in epsilons for part in ("-e", each)]
    made = read(command, "collect", "community", "create", "cats", "--roster", roster, *given)
    mechanism = gl.recommended([float(each) for each in epsilons]).mechanism
    assert made["mechanism"] == mechanism.origin.name
    for epsilon, choice in zip(epsilons, made["choices"], strict=True):
        assert choice["epsilon1"] + choice["epsilon2"] == pytest.approx(float(epsilon))
        assert (choice["epsilon2"] > 0) == (float(epsilon) > 1)


def test_rosters(command: Command, database: str, tmp_path: Path) -> None:
    path = tmp_path / "roster.json"
    path.write_text('["ann", "bob"]', encoding="utf-8")
    create = ("collect", "community", "create", "cats", "--roster", path, "-e", "1", "-m", "rr")
    assert read(command, *create)["users"] == 2
    for wrong in (b"[1, 2]", b"[", b"\xff\xfe\x00"):
        path.write_bytes(wrong)
        code, _, err = command("collect", "community", "create", "dogs", "--roster", path, "-e", "1")
        assert code == 2
        assert "roster.json" in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ann\nbob\nAnn\n", "names 1 and 3 are the same"),
        ("ann\nbob\n\u0430nn\n", "names 1 and 3 look alike"),
        ("ann\nb\u200bob\n", "name 2 is not printable"),
        ('["ann", "bo', "neither one name per line nor a JSON list"),
        ("name,server\nann,north\nbob,south\n", "the name of such a file must end in .csv"),
    ],
)
def test_a_roster_that_goes_wrong_opens_nothing(
    command: Command, database: str, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "roster.txt"
    path.write_text(text, encoding="utf-8")
    code, out, err = command("collect", "community", "create", "cats", "--roster", path, "-e", "1")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert "bob" not in err
    assert list(tmp_path.iterdir()) == [path]  # no database either


def test_a_community_whose_friends_are_counted_by_group(command: Command, database: str, tmp_path: Path) -> None:
    path = tmp_path / "pages.csv"
    path.write_text("name, team ,server\nann,a,north\nbob,b, south \ncy,a,north\ndi,b,south\n")
    create = ("collect", "community", "create", "pages", "--roster", path, "--groups", "server")
    made = read(command, *create, "-e", "1")
    assert (made["mechanism"], made["groups"], made["users"]) == ("friend-counts", ["north", "south"], 4)
    assert made["choices"] == [{"name": "epsilon-1", "epsilon1": 1.0, "epsilon2": 0.0}]
    assert made["roster_digest"] == wire.roster_digest(["ann", "bob", "cy", "di"], ["north", "south"], [0, 1, 0, 1])
    assert read(command, "collect", "community", "show", "pages")["groups"] == ["north", "south"]


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        (
            "name,server\nann,n\nbob,s\ncy,n\n",
            ("--groups", "team", "-e", "1"),
            "a column 'team' after that of the names",
        ),
        ("name,server\nann,n\nbob,s\ncy,n\n", ("--groups", "name", "-e", "1"), "a column 'name' after that"),
        ("name,server\nann,n\nbob,\ncy,n\n", ("--groups", "server", "-e", "1"), "row 3 has none"),
        (
            "name,server\nann,n\nbob,s\ncy",
            ("--groups", "server", "-e", "1"),
            "row 4 has 1 of 2 cells.",
        ),
        ("name,server\nann,n\nbob,s\nAnn,s\n", ("--groups", "server", "-e", "1"), "distinct, printable names"),
        ("name,server\nann,n\nbob,n\ncy,n\n", ("--groups", "server", "-e", "1"), "two groups or more"),
        ("name,server\nann,n\nbob,s\ncy,w\n", ("--groups", "server", "-e", "1"), "at most 2"),
        ("name,server\nann,n\nbob,s\ncy,n\n", ("--groups", "server", "-e", "6"), "choose the mechanism rr"),
        ("name,server\nann,n\nbob,s\ncy,n\n", ("--groups", "server", "-e", "1", "-m", "rr"), "rr has no groups"),
        ("name,server\nann,n\nbob,s\ncy,n\n", ("-e", "1", "-m", "friend-counts"), "say who is in which"),
        ('name,server\n"ann,n\n', ("--groups", "server", "-e", "1"), "not a CSV file"),
        ("", ("--groups", "server", "-e", "1"), "a column 'server'"),
    ],
)
def test_groups_that_are_none(
    command: Command, database: str, tmp_path: Path, text: str, arguments: tuple[str, ...], said: str
) -> None:
    path = tmp_path / "pages.csv"
    path.write_text(text)
    code, out, err = command("collect", "community", "create", "pages", "--roster", path, *arguments)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
    assert "Traceback" not in err
