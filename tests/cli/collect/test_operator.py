from __future__ import annotations

from datetime import UTC, datetime

from tests.cli.collect.conftest import read
from tests.cli.conftest import Command


def test_operators(command: Command, database: str) -> None:
    key = read(command, "collect", "operator", "add", "alice")["key"]
    assert len(key) == 43
    assert read(command, "collect", "operator", "list") == [{"operator": "alice", "role": "operator", "expires": None}]
    assert read(command, "collect", "operator", "change", "alice", "--role", "administrator")["role"] == "administrator"
    assert read(command, "collect", "operator", "change", "alice", "--new-key", "--expires", "90")["key"] != key
    (row,) = read(command, "collect", "operator", "list")
    left = datetime.fromisoformat(row["expires"]) - datetime.now(UTC)
    assert (row["role"], left.days in (89, 90)) == ("administrator", True)
    read(command, "collect", "operator", "remove", "alice")
    assert read(command, "collect", "operator", "list") == []
    for wrong in (
        ("add", "bob", "--role", "owner"),
        ("add", "bob", "--expires", "0"),
        ("change", "bob", "--new-key"),
        ("change", "bob"),
        ("change", "bob", "--role", "viewer", "--expires", "9"),
    ):
        code, out, err = command("collect", "operator", *wrong)
        assert (code, out, err.count("\n")) == (2, "", 1)
