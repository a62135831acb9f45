"""Both rounds with the real client, server and commands, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from benchmarks.services import Collector, free_port
from tests.values import some
from tests.walks.test_restore import collect

from graphldp.client.protocol import Client
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.database import open_engine
from graphldp.collector.storage.store import Store
from graphldp.errors import ClientError, SendError
from graphldp.wire import ANSWER_TYPE, Answer, Choice, Invitation, Question

N, HUB = 90, 5
ROSTER = [f"bee {u}" for u in range(N)]
EPSILON = 8.0  # at which the noise of a user is not 0 with a chance of 0.0007, and below −9 with one of 10⁻³⁰
REPORTING = [HUB, *range(10, 50)]


def friends_of(user: int) -> list[int]:
    """The hub knows everybody; twenty users have six friends, the others one."""
    if user == HUB:
        return [other for other in range(N) if other != HUB]
    return [HUB, 50, 51, 52, 53, 54] if user < 30 else [HUB]


def joined(folder: Path, url: str, user: int, token: str) -> tuple[Client, Path]:
    client, file = Client(folder / f"home-{user}", pauses=(), timeout=60.0, tick=0.0), folder / f"{user}.txt"
    file.write_text("\n".join(ROSTER[other] for other in friends_of(user)))
    client.join(Invitation(url, "bees", token), accept=round(EPSILON * 10**6), cap=10**8)
    return client, file


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = Store(open_engine(database))
    opened.open_community("bees", ROSTER, mechanism="hub-counts", choices=[Choice("standard", EPSILON, 0.0)], label=1)
    yield opened
    opened.close()


def test_two_rounds_from_end_to_end(database: str, store: Store, tmp_path: Path) -> None:
    tokens, port, file = store.invite("bees"), free_port(), tmp_path / "a.backup"
    with Collector(database, port=port) as collector:
        clients = {}
        for user in REPORTING:
            clients[user], friends = joined(tmp_path, collector.url, user, tokens[user])
            clients[user].report("bees", friends_file=friends)
        hub = clients[HUB]
        with pytest.raises(SendError, match=r"409.*none yet"):
            hub.answer("bees")
        collect(database, "backup", file)
        store.second_round.ask("bees")
        answered = hub.answer("bees")
        assert hub.answer("bees").body == answered.body
        with pytest.raises(ClientError, match="no second question"):
            clients[10].answer("bees")
        assert hub.status()[0].spent == round(EPSILON * 10**6)
        found = export(store, [store.community("bees")])
        assert found.noisy_degree is not None
        told = some(found.answers)
        truly = answered.answer.count  # twenty busy users whom she knows, give or take the noise
        assert abs(truly - told.busy[np.arange(N) != HUB].sum()) < 9
        assert (told.busy_friends[HUB], told.quiet_friends[HUB]) == (
            truly,
            found.noisy_degree[HUB] - truly,
        )
        collector.stop()
    store.engine.dispose()
    collect(database, "restore", file, "--yes")  # of before the question was asked: it stays asked, the answer is lost
    collect(database, "verify")
    assert list(store.second_round.answers(store.community("bees"))) == []
    with Collector(database, port=port) as collector:
        assert hub.answer("bees").body == answered.body
        assert [each.encode() for each in store.second_round.answers(store.community("bees"))] == [answered.body]
        collector.stop()


def test_what_the_collector_says_to_others(database: str, store: Store, tmp_path: Path) -> None:
    tokens = store.invite("bees")
    with Collector(database) as collector:
        hub, friends = joined(tmp_path, collector.url, HUB, tokens[HUB])
        hub.report("bees", friends_file=friends)
        store.second_round.ask("bees")
        base = f"{collector.url}/v1/communities/bees"

        def get(token: str, path: str = "question", community: str = "bees") -> httpx.Response:
            address = f"{collector.url}/v1/communities/{community}/{path}"
            return httpx.get(address, headers={"Authorization": f"Bearer {token}"})

        def put(token: str, user: int, body: bytes, kind: str = ANSWER_TYPE, epoch: int = 1) -> tuple[int, str]:
            headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
            answer = httpx.put(f"{base}/answers/{user}?epoch={epoch}", content=body, headers=headers)
            return answer.status_code, answer.json()["type"].rpartition(":")[2] if answer.content else ""

        question = Question.decode(get(tokens[HUB]).content, n=N)
        good = Answer(N, HUB, question.digest, 3).encode()
        assert get(tokens[10]).json()["type"].endswith("not-asked")
        assert get(tokens[HUB], "question?epoch=2").json()["type"].endswith("epoch-over")
        strangers = [get(token, community=name) for token, name in (("no", "bees"), (tokens[HUB], "cats"))]
        assert [(each.status_code, each.json()) for each in strangers] == [(401, strangers[0].json())] * 2
        assert put("no", HUB, good) == put(tokens[10], HUB, good) == put("no", 200, good) == (401, "unauthorized")
        assert put(tokens[HUB], HUB, good, kind="application/json") == (415, "wrong-type")
        assert put(tokens[HUB], HUB, good + bytes(99)) == (413, "too-large")
        assert put(tokens[HUB], HUB, good + b"0") == (422, "bad-answer")
        assert put(tokens[HUB], HUB, good, epoch=2) == (409, "epoch-over")
        assert put(tokens[10], 10, Answer(N, 10, question.digest, 3).encode()) == (409, "not-asked")
        assert put(tokens[HUB], HUB, good) == (201, "")
        assert put(tokens[HUB], HUB, good) == (200, "")
        assert put(tokens[HUB], HUB, Answer(N, HUB, question.digest, 4).encode()) == (409, "answer-taken")
        published = httpx.get(base, headers={"Authorization": f"Bearer {tokens[HUB]}"}).json()
        assert (published["answered"], published["hub_from"]) == ([1], store.community("bees").hub_from)
        store.holdings.delete("bees", HUB)
        assert put(tokens[HUB], HUB, good) == (410, "report-deleted")
        collector.stop()
