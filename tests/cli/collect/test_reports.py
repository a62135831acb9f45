from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
from tests.cli.collect.conftest import CHOICE, read
from tests.cli.conftest import Command
from tests.collector.people import open_ants

from graphldp.collector import tokens
from graphldp.collector.storage.collecting.accepting import Submission
from graphldp.collector.storage.store import Store


def test_which_slots_are_held_and_how_reports_are_deleted(command: Command, database: str, roster: Path) -> None:
    store = Store.open(database)
    store.open_community("cats", ["ann", "bob", "cy", "di", "eve"], mechanism="dprr", choices=[CHOICE])
    issued = store.invite("cats", [0, 1, 2, 4])
    for epoch in (1, 2):
        current = store.community("cats") if epoch == 1 else store.open_epoch("cats")
        store.accept([Submission(current.key, u, tokens.hashed(issued[u]), b"x") for u in (0, 1, 4)[:-epoch]])
    rows = read(command, "collect", "missing", "cats", "--epochs")
    assert rows == [
        {"epoch": 1, "users": 5, "held": [0, 1], "deleted": [], "invited, not held": [2, 4]},
        {"epoch": 2, "users": 5, "held": [0], "deleted": [], "invited, not held": [1, 2, 4]},
    ]
    delete = ("collect", "community", "delete", "cats", "--user")
    assert read(command, *delete, "0", "--epoch", "2")["deleted epochs"] == [2]
    assert read(command, *delete, "0")["deleted epochs"] == [1]
    assert read(command, *delete, "0")["deleted epochs"] == []
    code, _, err = command(*delete, "3")
    assert code == 2
    assert "holds a report" in err
    code, out, _ = command("collect", "missing", "cats", "--epochs")
    assert code == 0
    assert "1–2, 4" in out
    assert "slots held" in out
    assert read(command, "collect", "missing", "cats") == [
        {"user": 1, "name": "bob", "invited": True},
        {"user": 2, "name": "cy", "invited": True},
        {"user": 3, "name": "di", "invited": False},
        {"user": 4, "name": "eve", "invited": True},
    ]
    code, out, err = command("collect", "missing", "cats")
    assert (code, "cy" in out, "4 of 5 have not reported: slots 1–4." in err) == (0, True, True)
    gone = read(command, *delete, "0,0-0")
    assert gone["deleted epochs"] == []
    assert command(*delete, "7")[0] == command("collect", "community", "delete", "cats", "--epoch", "1")[0] == 2
    code, _, err = command("collect", "missing", "dogs")
    assert code == 2
    assert "'community' parameter" in err
    store.close()


def test_statistics_of_a_community(command: Command, database: str) -> None:
    """Others tell who has not reported; the notes go to standard error."""
    store = Store.open(database)
    open_ants(store, np.random.default_rng(5).integers(0, 9, (39, 3)).tolist())
    code, out, err = command("collect", "statistics", "ants")
    assert code == 0
    assert "assortativity" in out
    assert "Absence may depend on friends" in err
    rows = json.loads(command("collect", "statistics", "ants", "--json")[1])
    table = list(csv.DictReader(io.StringIO(command("collect", "statistics", "ants", "--csv")[1])))
    assert [row["name"] for row in rows] == [row["name"] for row in table]
    code, _, err = command("collect", "statistics", "dogs")
    assert (code, err.count("\n")) == (2, 1)
    store.close()
