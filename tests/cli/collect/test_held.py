from __future__ import annotations

from pathlib import Path

from tests.cli.collect.conftest import CHOICE, read
from tests.cli.conftest import Command

from graphldp.collector import tokens
from graphldp.collector.intake import Submission
from graphldp.collector.storage.store import Store


def test_which_slots_are_held_and_how_reports_are_deleted(command: Command, database: str, roster: Path) -> None:
    store = Store.open(database)
    store.open_community("cats", ["ann", "bob", "cy", "di", "eve"], mechanism="dprr", choices=[CHOICE])
    issued = store.invite("cats", [0, 1, 2, 4])
    for epoch in (1, 2):
        current = store.community("cats") if epoch == 1 else store.open_epoch("cats")
        store.accept([Submission(current.key, u, tokens.hashed(issued[u]), b"x") for u in (0, 1, 4)[:-epoch]])
    rows = read(command, "collect", "held", "cats")
    assert rows == [
        {"epoch": 1, "users": 5, "held": [0, 1], "deleted": [], "invited, not held": [2, 4]},
        {"epoch": 2, "users": 5, "held": [0], "deleted": [], "invited, not held": [1, 2, 4]},
    ]
    delete = ("collect", "delete-report", "cats")
    assert read(command, *delete, "0", "--epoch", "2")["deleted epochs"] == [2]
    assert read(command, *delete, "0")["deleted epochs"] == [1]
    assert read(command, *delete, "0")["deleted epochs"] == []
    code, _, err = command(*delete, "3")
    assert code == 2
    assert "holds a report" in err
    code, out, _ = command("collect", "held", "cats")
    assert code == 0
    assert "1–2, 4" in out
    code, _, err = command("collect", "held", "dogs")
    assert code == 2
    assert "'community' parameter" in err
    store.close()
