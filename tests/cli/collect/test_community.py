"""Communities, from their opening to their deletion."""

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

import graphldp as gl
from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.storage.collecting.accepting import Submission
from graphldp.collector.storage.operating.results import Prediction
from graphldp.collector.storage.store import Store
from graphldp.wire.deal import GROUPS, dealt_groups, dealt_names
from graphldp.wire.schema import schemas


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


ASKS = {"purpose": "To learn how we are connected.", "operator": "The club", "contact": "club@cats.example"}


def test_who_asks_is_said_frozen_and_changed_by_a_new_epoch(command: Command, database: str, roster: Path) -> None:
    create = ("collect", "community", "create", "cats", "--roster", roster, "-e", "1")
    made = read(command, *create, *(part for name, text in ASKS.items() for part in (f"--{name}", text)))
    assert ASKS.items() <= made.items()
    read(command, "collect", "community", "renew", "cats", "--purpose", "For our yearbook.")
    read(command, "collect", "community", "renew", "cats")
    now = read(command, "collect", "community", "show", "cats")
    assert (ASKS | {"purpose": "For our yearbook.", "epoch": 3}).items() <= now.items()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("purpose", "", "Missing: purpose"),
        ("purpose", "p" * 501, "does not have 1 to 500 characters"),
        ("operator", "a  b", "has a space too many"),
        ("contact", "me\u202e", "The contact of a community is not printable"),
    ],
)
def test_who_asks_can_be_read(
    command: Command, database: str, roster: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, said: str
) -> None:
    monkeypatch.delenv("GRAPHLDP_PURPOSE")
    options = [part for each in (ASKS | {name: text}).items() for part in (f"--{each[0]}", each[1])]
    code, _, err = command("collect", "community", "create", "cats", "--roster", roster, "-e", "1", *options)
    assert (code, err.count("\n")) == (2, 1)
    assert said in err


def test_rosters(command: Command, database: str, tmp_path: Path) -> None:
    path = tmp_path / "roster.json"
    path.write_text('["ann", "bob"]', encoding="utf-8")
    create = ("collect", "community", "create", "cats", "--roster", path, "-e", "1", "-m", "rr")
    assert read(command, *create)["users"] == 2
    for wrong in (b"[1, 2]", b"[", b"\xff\xfe\x00", b"[" * 100_000, b'[{"a":' * 50_000):
        path.write_bytes(wrong)
        code, _, err = command("collect", "community", "create", "dogs", "--roster", path, "-e", "1")
        assert (code, err.count("\n")) == (2, 1)
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
    assert made["witnesses"] is False
    assert read(command, "collect", "community", "show", "pages")["groups"] == ["north", "south"]


def test_witnesses_are_dealt_into_groups(command: Command, database: str, tmp_path: Path) -> None:
    path, names = tmp_path / "bees.txt", [f"bee {number}" for number in range(20)]
    path.write_text("\n".join(names))
    create = ("collect", "community", "create", "bees", "--roster", path, "-e", "1", "--witnesses")
    made = read(command, *create)
    groups = dealt_groups("bees", 1, names, GROUPS)
    assert (made["mechanism"], made["witnesses"], made["groups"]) == ("friend-counts", True, list(dealt_names(GROUPS)))
    assert made["roster_digest"] == wire.roster_digest(names, made["groups"], groups)


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
        ("name,server\nann,n\nbob,s\n", ("--groups", "server", "-e", "1", "--witnesses"), "a second report: 2ε"),
        ("name,server\nann,n\nbob,s\n", ("-e", "1", "--witnesses"), "needs 12 users or more"),
        ("name\nann\nbob\n", ("-e", "1", "--witnesses", "-m", "rr"), "must be friend-counts, or left out"),
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


def test_a_community_from_roster_to_close(command: Command, database: str, roster: Path, tmp_path: Path) -> None:
    create = ("collect", "community", "create", "cats", "--roster", roster)
    dprr = ("-m", "dprr allocation=fixed")
    made = read(command, *create, "-e", "1", "-e", "2", "--public", *dprr, "--class", "1")
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
    read(command, "collect", "community", "change", "cats", "--class", "0")
    read(command, "collect", "community", "close", "cats")
    (row,) = read(command, "collect", "community", "show")
    assert (row["epoch"], row["open"], row["invited"], row["label"]) == (2, False, 3, 0)
    assert row["roster_digest"] == digest
    code, _, err = command(*invite)
    assert code == 2
    assert "open community" in err
    store.close()


def test_labels_are_names_lists_are_searched_and_reports_are_csv(
    command: Command, database: str, roster: Path, tmp_path: Path
) -> None:
    for id, label in (("cats", ("--class", "talk")), ("dogs", ())):
        read(command, "collect", "community", "create", id, "--roster", roster, "-e", "1", *label)
    assert read(command, "collect", "community", "change", "dogs", "--class", "news") == {
        "community": "dogs",
        "label": 1,
        "class": "news",
    }
    assert read(command, "collect", "class", "0", "chat") == {"class": 0, "name": "chat"}
    listed = [{"class": 0, "name": "chat", "communities": 1}, {"class": 1, "name": "news", "communities": 1}]
    assert read(command, "collect", "class") == listed
    found = read(command, "collect", "community", "show", "--search", "CAT", "--state", "labelled")
    assert [row["community"] for row in found] == ["cats"]
    code, out, _ = command("collect", "community", "show")
    assert (code, "chat" in out, "news" in out) == (0, True, True)
    code, out, err = command("collect", "export", tmp_path / "reports.csv")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "No community among them holds 5 reports" in err
    assert not (tmp_path / "reports.csv").exists()
    for wrong in (("class", "0", "news"), ("community", "show", "--sort", "x"), ("class", "0", "7"), ("class", "0")):
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
    assert read(command, *community, "change", "cats", "--name", "The cat lovers") == found
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
    assert read(command, *community, "show") == []
    for arguments in (("show", "cats"), ("delete", "dogs", "--yes"), ("change", "cats", "--name", "x")):
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
    assert "Fewer than 5 users of 'bees' have reported" in err
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
    (held,) = read(command, "collect", "missing", "bees", "--epochs")
    assert (held["asked"], held["answered"]) == ([], [])


MANY = """community,member,class,dorm
cats,ann,talk,a
cats,bob,talk,b
cats,cy@other.example,,a
dogs,ann,,b
dogs,eve,news,b
fish,Ann,,a
fish,Flo,,a
"""


def test_one_file_opens_and_invites_many_communities(command: Command, database: str, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text(MANY)
    create = ("collect", "community", "create", "--roster", path, "-e", "1", "--host", "social.example")
    made = read(command, *create)
    assert [(row["community"], row["users"], row["class"]) for row in made] == [
        ("cats", 3, "talk"),
        ("dogs", 2, "news"),
        ("fish", 2, None),
    ]
    store = Store.open(database)
    assert store.roster(store.community("cats")) == ["ann@social.example", "bob@social.example", "cy@other.example"]
    code, out, err = command(*create)
    assert (code, out) == (2, "")
    assert "'cats' already. Nothing was opened" in err
    folder = tmp_path / "invitations"
    server = ("--server", "https://reports.example.org")
    sent = read(command, "collect", "invite", *server, "--out", folder)
    assert [(row["community"], row["invited"]) for row in sent] == [("cats", 3), ("dogs", 2), ("fish", 2)]
    with (folder / "index.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["community"], row["slot"]) for row in rows][2:4] == [("cats", "2"), ("dogs", "0")]
    assert stat.S_IMODE((folder / "index.csv").stat().st_mode) == 0o600
    invitation = wire.Invitation.from_link(rows[3]["link"])
    assert store.holder(store.community("dogs"), invitation.token) == 0
    assert (folder / "dogs" / "0.json").read_text() == invitation.to_json()
    again = command("collect", "invite", *server, "--out", folder)
    assert again[0] == 2
    assert "nobody was invited" in again[2]
    ranges = read(command, "collect", "invite", "cats", "--user", "0-1", *server, "--out", tmp_path / "anew")
    assert ranges["invited"] == 2
    assert command("collect", "invite", "--user", "0", *server, "--out", tmp_path / "x")[0] == 2
    store.close()


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("name\nann\n", (), "has a column 'community'"),
        ("community,name\ncats,ann\n", (), "has a column 'member'"),
        ("community,member\n", (), "names no community"),
        ("community,member,class\ncats,ann,x\ncats,bob,y\n", (), "'cats' has two classes"),
        ("community,member\ncats,ann\ncats,ann\n", (), "community 'cats': A roster must hold distinct"),
        ("community,member\nDogs,ann\nDogs,bob\n", (), "lower-case"),
        ("community,member,dorm\ncats,ann,\n", ("--groups", "dorm"), "row 2 has none"),
        (MANY, ("--name", "Cats"), "given, but for a .csv of many"),
    ],
)
def test_many_communities_are_opened_or_none(
    command: Command, database: str, tmp_path: Path, text: str, arguments: tuple[str, ...], said: str
) -> None:
    path = tmp_path / "all.csv"
    path.write_text(text)
    code, out, err = command("collect", "community", "create", "--roster", path, "-e", "1", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not (tmp_path / "collector.db").exists()


def test_what_mastodon_exports_is_a_roster(command: Command, database: str, tmp_path: Path) -> None:
    path = tmp_path / "following_accounts.csv"
    path.write_text("Account address,Show boosts\nann@a.example,true\nbob@b.example,false\n")
    code, _, err = command("collect", "community", "create", "cats", "--roster", path, "-e", "1")
    assert (code, err) == (0, "")
    path.write_text("name\nann\nBob Smith\n")
    code, _, err = command("collect", "community", "create", "dogs", "--roster", path, "-e", "1")
    assert code == 0
    assert "1 names have no host, such as 'ann'." in err


def test_a_class_is_removed_when_that_is_asked_for(command: Command, database: str, roster: Path) -> None:
    change = ("collect", "community", "change", "cats")
    read(command, "collect", "community", "create", "cats", "--roster", roster, "-e", "1", "--class", "talk")
    for wrong in ((), ("--class", " "), ("--class", "news", "--remove-class"), ("--class", "news", "--name", "Cats")):
        code, out, err = command(*change, *wrong)
        assert (code, out, err.count("\n")) == (2, "", 1)
    assert read(command, "collect", "community", "show", "cats")["class"] == "talk"
    assert read(command, *change, "--remove-class") == {"community": "cats", "label": None, "class": None}
