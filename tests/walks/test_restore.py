"""Report, back up, report more, restore, report again: with the real client, server and commands, on both databases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from benchmarks.services import Collector, free_port

from graphldp import cli
from graphldp.client.protocol import Client
from graphldp.collector.storage.database import open_engine
from graphldp.collector.storage.store import Store
from graphldp.errors import ClientError
from graphldp.wire import Choice, Invitation

ROSTER = [f"cat {u}" for u in range(30)]
ONE = 10**6


def collect(database: str, *arguments: str | Path) -> None:
    """A command of ``graphldp collect``."""
    given = ["collect", *map(str, arguments), "--database", database]
    assert not typer.main.get_command(cli.app).main(given, standalone_mode=False)


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    path = tmp_path / "friends.txt"
    path.write_text("\n".join(ROSTER[10:20]))
    return path


@pytest.mark.attack("collector")
def test_what_a_restore_lost_is_sent_again_and_nothing_is_drawn_twice(
    database: str, tmp_path: Path, friends: Path
) -> None:
    """A collector restored from a backup."""
    store = Store(open_engine(database))
    store.open_community("cats", ROSTER, mechanism="dprr", choices=[Choice("standard", 0.5, 0.5)])
    tokens, file, port = store.invite("cats"), tmp_path / "a.backup", free_port()
    clients = {user: Client(tmp_path / f"home-{user}", pauses=(), timeout=60.0, tick=0.0) for user in (1, 2, 3, 4)}
    sent: dict[tuple[int, int], bytes] = {}

    def report(user: int, **how: Any) -> None:
        drawn = clients[user].report("cats", friends_file=friends, **how)
        assert drawn.acknowledged
        epoch = store.community("cats").epoch
        assert sent.setdefault((epoch, user), drawn.body) == drawn.body

    def held() -> dict[tuple[int, int], bytes]:
        return {(store.community("cats").epoch, each.user): each.body for each in store.stored(store.community("cats"))}

    with Collector(database, port=port) as collector:
        for user, client in clients.items():
            client.join(Invitation(collector.url, "cats", tokens[user]), accept=ONE)
        report(1)
        report(2)
        collect(database, "backup", file)
        report(3)
        clients[2].withdraw("cats")
        store.open_epoch("cats")
        report(4, new_epoch=True)
        collector.stop()
    store.engine.dispose()
    collect(database, "restore", file, "--yes")
    collect(database, "verify")
    assert held() == {(1, 1): sent[1, 1]}
    spent = {user: client.status()[0].spent for user, client in clients.items()}
    with Collector(database, port=port) as collector:
        for user in (1, 3):
            report(user)
        with pytest.raises(ClientError, match="withdrew"):
            report(2)
        assert held() == {(1, user): sent[1, user] for user in (1, 3)}  # what was withdrawn stays so
        store.open_epoch("cats")  # the restore undid this: who reported then is heard as soon as it is done again
        report(4)
        assert held() == {(2, 4): sent[2, 4]}
        collector.stop()
    assert {user: client.status()[0].spent for user, client in clients.items()} == spent == dict.fromkeys(clients, ONE)
    store.close()
