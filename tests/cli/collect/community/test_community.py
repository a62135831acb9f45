"""A community from its opening to its end."""

from __future__ import annotations

import csv
import json
import stat
from dataclasses import asdict
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator
from tests.cli.collect.conftest import CHOICE, read
from tests.cli.conftest import Command
from tests.collector.people import hub_report, submission

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.intake import Submission
from graphldp.collector.storage.operating.results import Prediction
from graphldp.collector.storage.store import Store
from graphldp.wire.schema import schemas


def test_a_community_from_roster_to_close(command: Command, database: str, roster: Path, tmp_path: Path) -> None:
    create = ("collect", "community", "create", "cats", "--roster", roster)
    dprr = ("-m", "dprr", "--allocation", "fixed")
    made = read(command, *create, "-e", "1", "-e", "2", "--public", *dprr, "--label", "1")
    assert made["users"] == 3
    assert made["choices"] == [
        {"name": "epsilon-1", "epsilon1": 0.1, "epsilon2": 0.9},
        {"name": "epsilon-2", "epsilon1": 0.2, "epsilon2": 1.8},
        {"name": "public", "epsilon1": None, "epsilon2": None},
    ]
    digest = wire.roster_digest(["ann", "bob", "cy"])
    shown = read(command, "collect", "community", "show", "cats")
    assert shown.pop("epochs") == [{"epoch": 1, "invited": 0, "reported": 0, "deleted": 0}]
    state = {"epoch": 1, "open": True, "invited": 0, "reported": 0, "deleted": 0, "flagged": 0}
    none = dict.fromkeys(("predicted", "predicted class", "confidence", "model"))
    assert shown == made | {"roster_digest": digest, "arrivals": {}} | none | state
    code, said, _ = command("collect", "community", "show", "cats")
    assert code == 0
    assert digest in said
    assert wire.spoken(digest) in said
    assert "epsilon-1: a guess of 10 % that two are friends becomes at most 23.2 %" in said
    assert "public: nothing is hidden" in said
    out = tmp_path / "invitations"
    invite = ("collect", "invite", "cats", "--server", "https://reports.example.org", "--out", out)
    assert read(command, *invite)["invited"] == 3
    invitation = json.loads((out / "2.json").read_text())
    Draft202012Validator(schemas()["invitation"]).validate(invitation)
    assert stat.S_IMODE((out / "2.json").stat().st_mode) == 0o600
    with (out / "index.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["slot"], row["name"]) for row in rows] == [("0", "ann"), ("1", "bob"), ("2", "cy")]
    assert asdict(wire.Invitation.from_link(rows[2]["link"])) == invitation
    assert rows[2]["link"].startswith("https://reports.example.org/join#2.")
    store = Store.open(database)
    assert store.holder(store.community("cats"), invitation["token"]) == 2
    assert read(command, *invite)["invited"] == 0
    assert read(command, *invite[:-1], tmp_path / "again", "--user", "2")["invited"] == 1
    assert store.holder(store.community("cats"), invitation["token"]) is None
    assert read(command, "collect", "community", "renew", "cats")["epoch"] == 2
    read(command, "collect", "community", "label", "cats", "0")
    read(command, "collect", "community", "close", "cats")
    (row,) = read(command, "collect", "community", "list")
    assert (row["epoch"], row["open"], row["invited"], row["label"]) == (2, False, 3, 0)
    assert row["roster_digest"] == digest
    code, _, err = command(*invite)
    assert code == 2
    assert "open community" in err
    store.close()


def test_labels_are_names_lists_are_searched_and_reports_are_csv(
    command: Command, database: str, roster: Path, tmp_path: Path
) -> None:
    for id, label in (("cats", ("--label", "talk")), ("dogs", ())):
        read(command, "collect", "community", "create", id, "--roster", roster, "-e", "1", *label)
    assert read(command, "collect", "community", "label", "dogs", "news") == {
        "community": "dogs",
        "label": 1,
        "class": "news",
    }
    assert read(command, "collect", "class", "name", "0", "chat") == {"class": 0, "name": "chat"}
    listed = [{"class": 0, "name": "chat", "communities": 1}, {"class": 1, "name": "news", "communities": 1}]
    assert read(command, "collect", "class", "list") == listed
    found = read(command, "collect", "community", "list", "--search", "CAT", "--state", "labelled")
    assert [row["community"] for row in found] == ["cats"]
    code, out, _ = command("collect", "community", "list")
    assert (code, "chat" in out, "news" in out) == (0, True, True)
    code, out, err = command("collect", "export", tmp_path / "reports.csv")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "No community among them holds 25 reports" in err
    assert not (tmp_path / "reports.csv").exists()
    for wrong in (("class", "name", "0", "news"), ("community", "list", "--sort", "x"), ("class", "name", "0", "7")):
        code, out, err = command("collect", *wrong)
        assert (code, out, err.count("\n")) == (2, "", 1)


def test_what_is_counted_of_a_community(command: Command, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(database)
    store.open_community("cats", ["ann", "bob", "cy"], mechanism="dprr", choices=[CHOICE])
    issued = store.invite("cats")
    for epoch in (1, 2):
        current = store.community("cats") if epoch == 1 else store.open_epoch("cats")
        store.accept([Submission(current.key, u, tokens.hashed(issued[u]), b"x") for u in range(epoch)])
    store.holdings.delete("cats", 0, 2)
    store.results.set_predictions([Prediction(current.key, 1, 0.9, 2, "model.npz")])
    shown = read(command, "collect", "community", "show", "cats")
    assert shown["epochs"] == [
        {"epoch": 1, "invited": 3, "reported": 1, "deleted": 0},
        {"epoch": 2, "invited": 3, "reported": 1, "deleted": 1},
    ]
    assert (shown["predicted"], shown["model"]) == (None, None)  # two reports are too few for a label
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "2")
    shown = read(command, "collect", "community", "show", "cats")
    assert (shown["predicted"], shown["confidence"], shown["model"]) == (1, 0.9, "model.npz")
    code, out, _ = command("collect", "community", "show", "cats")
    assert code == 0
    assert "1 in epoch 1" in out
    assert "bob" not in out
    store.close()


def test_a_new_name_and_the_end_of_a_community(command: Command, database: str, tmp_path: Path) -> None:
    store = Store.open(database)
    store.open_community("cats", ["ann", "bob"], mechanism="dprr", choices=[CHOICE])
    store.invite("cats")
    community = ("collect", "community")
    found = {"community": "cats", "name": "The cat lovers", "members see": "cats"}
    assert read(command, *community, "rename", "cats", "The cat lovers") == found
    assert found.items() <= read(command, *community, "show", "cats").items()
    read(command, *community, "renew", "cats")
    assert "members see" not in read(command, *community, "show", "cats")
    code, out, err = command(*community, "delete", "cats")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "(2 users, 2 epochs, 2 invitations)? Backups made before still hold it" in err
    assert "give --yes" in err
    assert store.community("cats").name == "The cat lovers"
    gone = read(command, *community, "delete", "cats", "--yes")
    assert (gone["deleted"], gone["epochs"], gone["invitations"]) == (True, 2, 2)
    code, _, err = command(*community, "delete", "cats")  # once more: nothing to ask about
    assert code == 0
    assert "Backups made before still hold it" in err
    assert read(command, *community, "list") == []
    for arguments in (("show", "cats"), ("delete", "dogs", "--yes"), ("rename", "cats", "x")):
        code, out, err = command(*community, *arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
    store.close()


def test_a_community_with_two_rounds(command: Command, database: str, tmp_path: Path) -> None:
    roster = tmp_path / "bees.txt"
    roster.write_text("\n".join(f"bee {u}" for u in range(90)))
    made = read(command, "collect", "community", "create", "bees", "--roster", roster, "-e", "1", "-m", "hub-counts")
    assert made["choices"] == [{"name": "epsilon-1", "epsilon1": 1.0, "epsilon2": 0.0}]
    before = read(command, "collect", "community", "show", "bees")
    assert (before["hubs from"], before["asked"], before["hubs"]) == (51, False, None)
    ask = ("collect", "community", "ask", "bees")
    code, _, err = command(*ask)
    assert code == 2
    assert "Nobody can be asked here: give --yes" in err
    code, out, err = command(*ask, "--yes")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "Fewer than 25 users of 'bees' have reported" in err
    store = Store.open(database)
    issued, bees = store.invite("bees"), store.community("bees")
    store.accept([submission(bees, user, issued[user], hub_report(user, 3)) for user in range(25)])
    store.close()
    asked = read(command, *ask, "--yes")
    after = read(command, "collect", "community", "show", "bees")
    assert (after["asked"], after["question"], after["hubs that answered"]) == (True, asked["question"], 0)
    assert (before["busy from"], after["busy from"]) == (None, 6)
    code, _, err = command(*ask, "--yes")
    assert (code, err.count("\n")) == (2, 1)
    assert "stays so" in err
    (held,) = read(command, "collect", "held", "bees")
    assert (held["asked"], held["answered"]) == ([], [])
