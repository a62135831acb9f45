"""A database of the first schema, with people in it, under today's collector."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text
from tests.collector.people import CHOICES, N, report
from tests.collector.services import Collector

from graphldp import wire
from graphldp.collector import tokens
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage import database as database_module
from graphldp.collector.storage.copies.backup import back_up, restore, sound
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import open_engine, transaction
from graphldp.collector.storage.store import Store

ALICE = Actor("alice", Role.ADMINISTRATOR, "command line")
THEN = datetime(2026, 1, 1, tzinfo=UTC)
KEY = tokens.new_secret()
TOKENS = [tokens.new_token(user) for user in range(N)]
SENT = 30  # users who had reported by then
_FIRST = {
    "communities": "key, id, name, n, mechanism, choices, roster, roster_digest, epoch, label, opened_at",
    "slots": 'community, "user", token_hash, invited_at',
    "reports": 'community, "user", body, noisy_degree, received_on',
    "operators": "name, key_hash, created_at",
    "runs": "key, finished_at, model, communities, users, reported, validation, settings",
    "predictions": "community, label, confidence, reported, model, labelled_at",
    "flags": 'community, "user", reason, flagged_at',
}


def _rows() -> dict[str, list[tuple[object, ...]]]:
    roster = "\n".join(f"cat {user}" for user in range(N)).encode()
    choices = json.dumps([choice.to_json() for choice in CHOICES])
    cats = (1, "cats", "Cats", N, "dprr", choices, zlib.compress(roster), sha256(roster).hexdigest(), 1, 0, str(THEN))
    return {
        "communities": [cats],
        "slots": [(1, user, tokens.hashed(TOKENS[user]), str(THEN)) for user in range(N)],
        "reports": [(1, user, report(user), 3, str(THEN.date())) for user in range(SENT)],
        "operators": [("alice", tokens.hashed(KEY), str(THEN))],
        "runs": [(1, str(THEN), "model.npz", 1, N, SENT, 0.75, "{}")],
        "predictions": [(1, 1, 0.8, SENT, "model.npz", str(THEN))],
        "flags": [(1, 7, "degree", str(THEN))],
    }


def _make(url: str) -> None:
    """A database as the first version left it: written by its columns, not by today's tables."""
    engine, config = open_engine(url), Config()
    config.set_main_option("script_location", str(Path(database_module.__file__).with_name("migrations")))
    with transaction(engine, writes=True) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for table, columns in _FIRST.items():
            rows = _rows()[table]
            places = ", ".join(f":p{place}" for place in range(len(rows[0])))
            values = [{f"p{place}": value for place, value in enumerate(row)} for row in rows]
            connection.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({places})"), values)
    engine.dispose()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_what_was_collected_goes_on(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    old = f"sqlite:///{tmp_path / 'old.db'}"
    if kind == "postgresql":
        old = request.getfixturevalue("postgres").create("upgrade")
    _make(old)
    with Collector(old) as collector, httpx.Client(base_url=collector.url, timeout=20) as http:

        def put(user: int, body: bytes) -> int:
            headers = {"Authorization": f"Bearer {TOKENS[user]}", "Content-Type": wire.MEDIA_TYPE}
            return http.put(f"/v1/communities/cats/reports/{user}", content=body, headers=headers).status_code

        assert put(3, report(3)) == 200  # the same as before
        assert put(3, report(3, degree=9)) == 409
        assert put(SENT, report(SENT)) == 201
        assert http.post("/login", data={"key": KEY}).status_code == 303
        page = http.get("/dashboard/communities/cats").text
        assert "80 %" in page  # the label's confidence
        assert collector.stop() == 0
    store = Store.open(old)
    assert verify(store.engine).problems == []
    assert [each.validation for each in store.results.runs()] == [0.75]
    assert store.results.flags(1) == {7: "degree"}
    back_up(store.engine, tmp_path / "new.backup")
    with sound(tmp_path / "new.backup") as (source, found):
        assert found.reports == SENT + 1
        restore(source, store.engine, ALICE)
    assert len(list(store.stored(store.community("cats")))) == SENT + 1
    store.close()


def test_a_backup_of_the_first_version_is_restored(tmp_path: Path) -> None:
    old = tmp_path / "old.backup"
    _make(f"sqlite:///{old}")
    target = Store.open(f"sqlite:///{tmp_path / 'fresh.db'}")
    with sound(old) as (source, found):
        assert found.reports == SENT
        restore(source, target.engine, ALICE)
    assert target.holder(target.community("cats"), TOKENS[5]) == 5
    assert verify(target.engine).problems == []
    target.close()
