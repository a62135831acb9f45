"""What an operator does, from the first community to labels."""

from __future__ import annotations

import csv
import json
import stat
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema_rs import Draft202012Validator
from tests.cli.conftest import Command
from tests.collector.counted import KNOWN, UNKNOWN, N, fill
from tests.collector.people import hub_report, submission

import graphldp as gl
from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.intake import Submission
from graphldp.collector.qr import svg
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.results import Prediction
from graphldp.collector.storage.store import Store
from graphldp.learn.saving.loading import load_classifier
from graphldp.learn.tables.profile_classifier import ProfileClassifier
from graphldp.learn.tables.robust_profile import RobustProfileClassifier
from graphldp.wire import Choice
from graphldp.wire.schema import schemas

pytestmark = pytest.mark.usefixtures("few_trees")

CHOICE = Choice("standard", 0.25, 1.75)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    url = f"sqlite:///{tmp_path / 'collector.db'}"
    monkeypatch.setenv("GRAPHLDP_DATABASE", url)
    return url


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text("ann\nbob\n\n  cy\n", encoding="utf-8")
    return path


def read(command: Command, *arguments: str | Path) -> Any:
    """The JSON that a command prints."""
    code, out, err = command(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("community", "create", "Cats", "-e", "1"), "lower-case"),
        (("community", "create", "cats", "-e", "0"), "'epsilon' parameter"),
        (("community", "create", "cats", "-e", "1", "-m", "magic"), "'mechanism' parameter"),
        (("community", "create", "cats", "-e", "0.5", "-m", "dprr"), "fixed or utility)"),
        (("community", "create", "cats", "-e", "0.5", "--allocation", "fixed"), "Choose dprr, or leave out allocation"),
        (("community", "create", "cats", "-e", "20"), "at most 16.777215"),
        (("community", "create", "cats", "-e", "1", "-m", "dprr", "--n-max", "1"), "'n_max' parameter"),
        (("community", "create", "cats", "-e", "1", "--allocation", "x"), "'allocation' parameter"),
        (("community", "close", "dogs"), "'community' parameter"),
        (("export", "out.txt"), ".npz"),
        (("export", "out.npz"), "no community yet"),
        (("export", "out.npz", "--labelled"), "no community yet"),
        (("delete-report", "dogs", "1"), "'community' parameter"),
        (("operator", "remove", "nobody"), "'name' parameter"),
        (("train", "model.npz"), "no community yet"),
    ],
)
def test_bad_input(command: Command, database: str, roster: Path, arguments: tuple[str, ...], said: str) -> None:
    Store.open(database).close()
    given = ["collect", *arguments]
    if "create" in arguments:
        given += ["--roster", str(roster)]
    code, out, err = command(*given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


LOOKING = [
    *[("community", *words) for words in (("show", "cats"), ("list",), ("close", "cats"), ("renew", "cats"))],
    *[("community", *words) for words in (("rename", "cats", "Cats"), ("delete", "cats", "--yes"))],
    *[("community", "label", "cats", "1"), ("operator", "list"), ("operator", "remove", "ann")],
    *[("invite", "cats", "--server", "https://a.example", "--out", "folder"), ("export", "out.npz"), ("held", "cats")],
    *[("delete-report", "cats", "1"), ("backup", "out"), ("verify",), ("train", "model.npz"), ("label", "model.npz")],
]


@pytest.mark.parametrize("arguments", LOOKING, ids=" ".join)
def test_a_command_that_looks_makes_no_database(
    command: Command, database: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    code, out, err = command("collect", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"no collector's database in {tmp_path / 'collector.db'}" in err
    assert list(tmp_path.iterdir()) == []


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


def test_invitations_overwrite_nothing_and_are_for_their_owners_eyes(
    command: Command, database: str, roster: Path, tmp_path: Path
) -> None:
    store = Store.open(database)
    store.open_community("cats", ["ann", "bob", "cy"], mechanism="dprr", choices=[CHOICE])
    store.open_community("dogs", ["rex", "fido"], mechanism="dprr", choices=[CHOICE])
    out, server = tmp_path / "invitations", ("--server", "https://reports.example.org")
    read(command, "collect", "invite", "cats", *server, "--out", out)
    before = {path: path.read_bytes() for path in out.iterdir()}
    assert len(before) == 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in before} == {0o600}
    token = json.loads((out / "2.json").read_text())["token"]
    for again in (("cats", "--user", "2"), ("dogs",)):
        code, _, err = command("collect", "invite", *again, *server, "--out", out)
        assert (code, err.count("\n")) == (2, 1)
        assert "another folder" in err
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "index.csv").symlink_to(tmp_path / "elsewhere")
    assert command("collect", "invite", "dogs", *server, "--out", tmp_path / "half")[0] == 2
    assert [path.name for path in (tmp_path / "half").iterdir()] == ["index.csv"]  # nothing half-written is left
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    assert store.holder(store.community("cats"), token) == 2
    assert store.holdings.of("dogs")[0].invited == []
    store.close()


def test_links_for_a_page_elsewhere_and_as_qr_codes(command: Command, database: str, tmp_path: Path) -> None:
    store = Store.open(database)
    store.open_community("cats", ["ann", "bob"], mechanism="dprr", choices=[CHOICE])
    store.close()
    out, there = tmp_path / "out", ("--server", "https://reports.example.org", "--page", "https://pages.example.net/x")
    read(command, "collect", "invite", "cats", *there, "--qr", "--out", out)
    with (out / "index.csv").open(newline="", encoding="utf-8") as file:
        links = [row["link"] for row in csv.DictReader(file)]
    for user, link in enumerate(links):
        assert link.startswith(f"https://pages.example.net/x/join#{user}.")
        assert link.endswith("/cats/https://reports.example.org")
        assert wire.Invitation.from_link(link).to_json() == (out / f"{user}.json").read_text()
        assert (out / f"{user}.svg").read_text() == svg(link)
        assert stat.S_IMODE((out / f"{user}.svg").stat().st_mode) == 0o600
    for page in ("http://pages.example.net", "https://" + "x" * 3000):
        code, _, err = command(
            "collect", "invite", "cats", *there[:2], "--page", page, "--user", "1", "--qr", "-o", out
        )
        assert (code, err.count("\n")) == (2, 1)
    store = Store.open(database)
    assert store.holder(store.community("cats"), wire.Invitation.from_link(links[1]).token) == 1
    store.close()


@pytest.mark.parametrize(
    "server", ["http://reports.example.org", "reports.example.org", "https://", "ftp://x", "https://[", "https://x:y"]
)
def test_an_address_that_no_client_takes_voids_no_token(
    command: Command, database: str, tmp_path: Path, server: str
) -> None:
    store = Store.open(database)
    cats = store.open_community("cats", ["ann", "bob"], mechanism="dprr", choices=[CHOICE])
    token = store.invite("cats")[1]
    code, _, err = command("collect", "invite", "cats", "--server", server, "--user", "1", "--out", tmp_path / "out")
    assert (code, err.count("\n")) == (2, 1)
    assert store.holder(cats, token) == 1
    assert not (tmp_path / "out").exists()
    store.close()


def test_names_in_the_index_are_no_formulas(command: Command, database: str, tmp_path: Path) -> None:
    names = ["=1+1", "+1", "-1", "@ann", "  =2", "a=b", "'quoted", 'x,"y"']
    store = Store.open(database)
    store.open_community("cats", names, mechanism="dprr", choices=[CHOICE])
    store.close()
    out = tmp_path / "out"
    read(command, "collect", "invite", "cats", "--server", "https://reports.example.org", "--out", out)
    with (out / "index.csv").open(newline="", encoding="utf-8") as file:
        listed = [row["name"] for row in csv.DictReader(file)]
    assert listed == ["'=1+1", "'+1", "'-1", "'@ann", "'  =2", "a=b", "'quoted", 'x,"y"']


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


def test_operators(command: Command, database: str) -> None:
    key = read(command, "collect", "operator", "add", "alice")["key"]
    assert len(key) == 43
    assert read(command, "collect", "operator", "list") == [{"operator": "alice", "role": "operator", "expires": None}]
    assert read(command, "collect", "operator", "role", "alice", "administrator")["role"] == "administrator"
    assert read(command, "collect", "operator", "rotate", "alice", "--expires", "90")["key"] != key
    (row,) = read(command, "collect", "operator", "list")
    left = datetime.fromisoformat(row["expires"]) - datetime.now(UTC)
    assert (row["role"], left.days in (89, 90)) == ("administrator", True)
    read(command, "collect", "operator", "remove", "alice")
    assert read(command, "collect", "operator", "list") == []
    for wrong in (("add", "bob", "--role", "owner"), ("add", "bob", "--expires", "0"), ("rotate", "bob")):
        code, out, err = command("collect", "operator", *wrong)
        assert (code, out, err.count("\n")) == (2, "", 1)


def test_the_audit_log(command: Command, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(database).close()
    key = read(command, "collect", "operator", "add", "alice")["key"]
    kept = read(command, "collect", "audit-log", "verify")
    assert (kept["entries"], kept["problem"]) == (1, None)
    read(command, "collect", "operator", "remove", "alice")
    code, out, err = command("collect", "audit-log", "show", "--json")
    told = [(each["action"], each["about"], each["way"]) for each in json.loads(out)]
    assert told == [("operator.add", "alice as operator", "command line"), ("operator.remove", "alice", "command line")]
    assert (code, key in out) == (0, False)
    head = err.split()[-1]
    assert read(command, "collect", "audit-log", "verify", "--head", kept["head"])["head"] == head
    for asked, count in ((("--action", "remove"), 1), (("--about", "alice"), 2), (("--actor", "nobody"), 0)):
        assert len(json.loads(command("collect", "audit-log", "show", *asked, "--json")[1])) == count
    monkeypatch.setenv("COLUMNS", "80")
    table = command("collect", "audit-log", "show")[1]
    assert "…" not in table
    assert "operator.remove" in table
    store = Store.open(database)
    with transaction(store.engine, writes=True) as connection:
        connection.exec_driver_sql("DROP TRIGGER audit_log_no_delete")
        connection.exec_driver_sql("DELETE FROM audit_log WHERE number = 2")
    store.close()
    assert command("collect", "audit-log", "verify")[0] == 0
    code, out, _ = command("collect", "audit-log", "verify", "--head", head)
    assert code == 1
    assert "cut off" in " ".join(out.split())


def test_sealing_keys(command: Command, database: str) -> None:
    Store.open(database).close()
    assert read(command, "collect", "sealing", "list") == []
    first = read(command, "collect", "sealing", "rotate")
    second = read(command, "collect", "sealing", "rotate", "--overlap-days", "7")
    assert wire.key_id(bytes.fromhex(second["published"])).hex() == second["key"]
    listed = read(command, "collect", "sealing", "list")
    assert [(row["key"], row["opens until"] == "–") for row in listed] == [(second["key"], True), (first["key"], False)]
    last = read(command, "collect", "sealing", "rotate", "--overlap-days", "0")
    assert [row["key"] for row in read(command, "collect", "sealing", "list")] == [last["key"], first["key"]]
    for wrong in ("-1", "nan", "4000"):
        code, _, err = command("collect", "sealing", "rotate", f"--overlap-days={wrong}")
        assert (code, err.count("\n")) == (2, 1)
        assert "'overlap_days' parameter" in err


def collect_threads(store: Store, graphs: gl.GraphSet, labelled: int, reporting: float) -> None:
    """Communities whose users reported by the law of the client, some of them labelled, some users silent."""
    reports = gl.DPRR(epsilon=2.0, allocation=gl.Budget(0.25, 1.75), noise="discrete").randomize(graphs, rng=0)
    rng = np.random.default_rng(0)
    assert reports.labels is not None
    assert reports.noisy_degree is not None
    for graph in range(len(graphs)):
        start, n = int(reports.graph_ptr[graph]), int(reports.sizes[graph])
        label = int(reports.labels[graph]) if graph < labelled else None
        names = [f"user {u}" for u in range(n)]
        made = store.open_community(f"thread-{graph}", names, mechanism="dprr", choices=[CHOICE], label=label)
        issued = store.invite(made.id)
        submissions = []
        for user in range(n):
            if rng.random() < reporting:
                listed = reports.indices[reports.indptr[start + user] : reports.indptr[start + user + 1]]
                degree = int(reports.noisy_degree[start + user])
                body = wire.encode(wire.Report("dprr", n, user, 0.25, 1.75, degree, listed))
                submissions.append(Submission(made.key, user, tokens.hashed(issued[user]), body, degree))
        store.accept(submissions)


@pytest.mark.parametrize("how", [("--network", "--max-epochs", "3", "--device", "cpu"), ()], ids=" ".join)
def test_from_reports_to_labels(
    command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1")
    store = Store.open(database)
    graphs = gl.synthetic.threads(num_graphs=26, seed=0)
    collect_threads(store, graphs, labelled=20, reporting=0.9)
    store.open_community("silent", ["ann", "bob"], mechanism="dprr", choices=[CHOICE])
    file, model = tmp_path / "reports.npz", tmp_path / "model.npz"
    written = read(command, "collect", "export", file, "-c", "thread-3", "-c", "thread-1")
    assert (written["communities"], written["labelled"]) == (2, 2)
    assert gl.Reports.load(file).sizes.tolist() == graphs.sizes[[3, 1]].tolist()
    assert read(command, "collect", "export", file, "--labelled")["communities"] == 20
    code, out, err = command("collect", "export", file, "--json")
    assert (code, json.loads(out)["labelled"], json.loads(out)["left_out"]) == (0, 20, 1)
    assert "Left out: 1 communities in which fewer than 1 have reported." in err
    assert gl.Reports.load(file).labelled.tolist() == [True] * 20 + [False] * 6
    for learn in (
        ("train", file, "--out", tmp_path / "run"),
        ("train", file, "--recommended", "--out", tmp_path / "run"),
    ):
        code, out, err = command(*learn)
        assert (code, out) == (2, "")
        assert "6 of 26 graphs have no label" in err
    results = tmp_path / "results.sqlite"
    trained = read(command, "collect", "train", model, *how, "--results", results)
    assert trained["held out"] == 2
    assert 0 <= trained["low"] <= trained["held-out accuracy"] <= trained["high"] <= 1
    assert trained["high"] - trained["low"] > 0.8  # two communities tell next to nothing
    read(command, "collect", "export", file, "--labelled")
    # what a live system does unless told otherwise
    again = how[1:] if how else ("--recommended", "--defense", "recommended")
    again = (*again, "--split", "0.8,0.1,0.1", "--seeds", "1", "--json")
    code, out, _ = command("train", file, *again, "--results", results)
    assert code == 0
    assert trained["defense"] == ("none" if how else "recommended")
    series = "gin" if how else "recommended"
    assert json.loads(out)["results"][0][series]["accuracy"] == trained["held-out accuracy"]  # the same trial
    read(command, "page", results, "--out", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "file:collected@" in page
    assert "degrees only" in page
    assert trained["communities"] == 20
    assert 0 < trained["reported"] < trained["users"]
    code, out, err = command("collect", "label", model, "--json", "--device", "cpu")
    rows = json.loads(out)
    assert code == 0
    assert "1 communities" in err  # nobody has reported in the silent one
    assert [row["community"] for row in rows] == [f"thread-{graph}" for graph in range(20, 26)]
    for row in rows:
        assert row["label"] in (0, 1)
        assert 0.5 <= row["confidence"] <= 21 / 22  # of at most twenty held-out communities
        assert 0 < row["reported"] < row["users"]
    assert len(store.results.predictions()) == 6
    (run,) = store.results.runs()
    assert (run.communities, run.settings["mechanism"]) == (20, "dprr(noise='discrete')")
    assert (run.held_out, run.interval) == (2, (trained["low"], trained["high"]))
    listed = {row["community"]: row for row in read(command, "collect", "community", "list")}
    assert listed["thread-22"]["predicted"] == next(r["label"] for r in rows if r["community"] == "thread-22")
    counts = {row["community"]: row["reported"] for row in rows}
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", str(least := sorted(counts.values())[3]))
    wanted = {id for id, reported in counts.items() if reported >= least}
    listed = {row["community"]: row for row in read(command, "collect", "community", "list")}
    assert {id for id, row in listed.items() if row["predicted"] is not None} == wanted
    _, out, err = command("collect", "label", model, "--json", "--device", "cpu")
    assert {row["community"] for row in json.loads(out)} == wanted
    assert f"fewer than {least}" in err
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1000000")
    for work in ("label", "train"):
        code, out, err = command("collect", work, model, "--json", "--device", "cpu")
        assert (code, out) == (2, "")
        assert "with 1000000 reports" in err
    read(command, "collect", "delete-report", "thread-0", str(store.stored(store.community("thread-0"))[0].user))
    store.close()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")  # Ray's
def test_a_training_on_a_cluster_gives_the_same_model_and_the_same_labels(
    command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole command, with a Ray cluster that it starts: the same to the last bit, and no file is left."""
    pytest.importorskip("ray", reason="needs the ray extra")
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1")
    store, shared = Store.open(database), tmp_path / "shared"
    collect_threads(store, gl.synthetic.threads(num_graphs=26, seed=0), labelled=20, reporting=0.9)
    shared.mkdir()
    trained, labels, saved = [], [], []
    for engine in (("--engine", "local"), ("--engine", "ray", "--folder", shared)):
        model = tmp_path / f"{engine[1]}.npz"
        results = ("--results", tmp_path / f"{engine[1]}.sqlite")
        code, out, _ = command("collect", "train", model, *engine, *results, "--json")
        assert code == 0
        trained.append(json.loads(out) | {"model": None})
        labels.append(read(command, "collect", "label", model))
        with np.load(model) as file:
            saved.append({name: file[name].tobytes() for name in file.files})
    assert len(labels[0]) == 6
    assert trained[0] == trained[1]
    assert labels[0] == labels[1]
    assert saved[0] == saved[1]
    assert list(shared.iterdir()) == []
    store.close()


def test_the_default_defense_can_be_turned_off(
    command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1")
    store = Store.open(database)
    collect_threads(store, gl.synthetic.threads(num_graphs=20, seed=0), labelled=20, reporting=1.0)
    store.close()
    model, results = tmp_path / "model.npz", ("--results", tmp_path / "results.sqlite")
    kinds = []
    for defense in ((), ("--defense", "none")):
        told = read(command, "collect", "train", model, *defense, *results)
        kinds.append((type(load_classifier(model)), told.get("trust")))
    assert kinds == [(RobustProfileClassifier, "profile"), (ProfileClassifier, None)]
    code, _, err = command("collect", "train", model, "--network", "--defense", "recommended", *results)
    assert code == 2
    assert "a test that flags users, with --network" in err


def test_a_defense_flags_users_on_the_way(
    command: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHLDP_MIN_REPORTS", "1")
    store = Store.open(database)
    graphs = gl.synthetic.threads(num_graphs=20, seed=1)
    collect_threads(store, graphs, labelled=19, reporting=0.8)
    big = max(store.communities(), key=lambda each: each.n)
    liar = next(user for user in range(big.n) if user not in {each.user for each in store.stored(big)})
    token = store.invite(big.id, [liar])[liar]
    everyone = np.delete(np.arange(big.n, dtype=np.int32), liar)
    body = wire.encode(wire.Report("dprr", big.n, liar, 0.25, 1.75, big.n, everyone))
    store.accept([Submission(big.key, liar, tokens.hashed(token), body, big.n)])
    into = ("--results", tmp_path / "results.sqlite")
    code, _, err = command("collect", "train", tmp_path / "model.npz", "--defense", "magic", *into)
    assert code == 2
    assert "'defense' parameter" in err
    assert not (tmp_path / "results.sqlite").exists()
    defended = ("--defense", "threshold", "--max-epochs", "2", "--device", "cpu", *into)
    trained = read(command, "collect", "train", tmp_path / "model.npz", *defended)
    assert trained["defense"] == "threshold"
    if big.label is None:
        read(command, "collect", "label", tmp_path / "model.npz", "--defense", "threshold", "--device", "cpu")
    assert store.results.flags(big.key) == {liar: "threshold"}
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


def test_classes_of_single_users(command: Command, database: str, tmp_path: Path) -> None:
    fill(database)
    path = tmp_path / "pages.csv"
    path.write_text("name,server,label\n" + "".join(f"USER {u},x,{KNOWN.get(u, '')}\n" for u in range(N)))
    label = ("collect", "label-users", "pages", "--labels", path)
    code, out, err = command(*label, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["reported"], len(found["users"])) == (
        N - 2,
        len(UNKNOWN),
    )
    assert set(found["users"][0]) == {"name", "label", "confidence"}
    code, out, err = command(*label)
    assert code == 0
    assert "held-out users" in " ".join(err.split())
    everybody = "".join(f"user {u},{KNOWN.get(u, '')},{u % 7}\n" for u in range(N))
    path.write_text("name,label,age\n" + everybody)
    code, out, err = command(*label, "--number", "age", "--json")
    assert (code, err, json.loads(out)["reported"]) == (0, "", N - 2)
    for text, said in (
        ("name,label\nuser 1,cats\n", "a column 'age'"),
        ("name,label,age\nuser 1,cats,30\n", f"{N - 1} users of the roster are not in it"),
        ("name,label,age\n" + everybody.replace(",3\n", ",\n", 1), "'age' must hold a number for everybody"),
        ("name,label,age\n" + everybody.replace(",3\n", ",nan\n", 1), "'age' must hold a number for everybody"),
    ):
        path.write_text(text)
        code, out, err = command(*label, "--number", "age")
        assert (code, out) == (2, "")
        assert said in " ".join(err.split())
    for text, said in (
        ("name,label\nnobody,cats\n", "row 2 names somebody who is not in"),
        ("name,label\nuser 1,cats\n@User 1,dogs\n", "row 3 names somebody for the second time"),
        ("name,class\nuser 1,cats\n", "a column 'label'"),
        ("name,label\nuser 1,cats\n", "at least 10 are needed"),
    ):
        path.write_text(text)
        code, out, err = command(*label)
        assert (code, out) == (2, "")
        assert said in " ".join(err.split())
        assert "Traceback" not in err
