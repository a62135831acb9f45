"""Invitations as links, files and QR codes."""

from __future__ import annotations

import csv
import json
import stat
from pathlib import Path

import pytest
from tests.cli.collect.conftest import CHOICE, read
from tests.cli.conftest import Command

from graphldp import wire
from graphldp.collector.actions.inviting import svg
from graphldp.collector.storage.store import Store


@pytest.mark.attack("collector")
def test_invitations_overwrite_nothing_and_are_for_their_owners_eyes(
    command: Command, database: str, roster: Path, tmp_path: Path
) -> None:
    """`invite` into a folder that has invitations."""
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


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    "server", ["http://reports.example.org", "reports.example.org", "https://", "ftp://x", "https://[", "https://x:y"]
)
def test_an_address_that_no_client_takes_voids_no_token(
    command: Command, database: str, tmp_path: Path, server: str
) -> None:
    """`invite` with an address that no client takes."""
    store = Store.open(database)
    cats = store.open_community("cats", ["ann", "bob"], mechanism="dprr", choices=[CHOICE])
    token = store.invite("cats")[1]
    code, _, err = command("collect", "invite", "cats", "--server", server, "--user", "1", "--out", tmp_path / "out")
    assert (code, err.count("\n")) == (2, 1)
    assert store.holder(cats, token) == 1
    assert not (tmp_path / "out").exists()
    store.close()


@pytest.mark.attack("collector")
def test_names_in_the_index_are_no_formulas(command: Command, database: str, tmp_path: Path) -> None:
    """A name `=cmd…` in a roster."""
    names = ["=1+1", "+1", "-1", "@ann", "a=b", "'quoted", 'x,"y"']
    store = Store.open(database)
    store.open_community("cats", names, mechanism="dprr", choices=[CHOICE])
    store.close()
    out = tmp_path / "out"
    read(command, "collect", "invite", "cats", "--server", "https://reports.example.org", "--out", out)
    with (out / "index.csv").open(newline="", encoding="utf-8") as file:
        listed = [row["name"] for row in csv.DictReader(file)]
    assert listed == ["'=1+1", "'+1", "'-1", "'@ann", "a=b", "'quoted", 'x,"y"']
