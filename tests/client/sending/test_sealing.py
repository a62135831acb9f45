"""A relay between client and collector: it carries everything, sees nothing, and can do nothing with it."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from benchmarks.services import Collector
from tests.collector.people import BEES, HUB, open_bees, open_cats, report

from graphldp.client.protocol import Client
from graphldp.client.sending.sealing import seal
from graphldp.collector.storage.store import Store
from graphldp.errors import ClientError, SendError, WireError
from graphldp.wire import Answer, Inner, Invitation

ONE = 10**6


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


class Relay(ThreadingHTTPServer):
    """Passes batches on, and keeps all that it sees."""

    daemon_threads = True

    def __init__(self, collector: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.collector = collector
        self.heads: list[str] = []
        self.bodies: list[bytes] = []
        self.lies: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Relay

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.heads.append(f"{self.path}\n{self.headers}")
        self.server.bodies.append(body)
        if self.server.lies:
            said = json.dumps(self.server.lies.pop(0)).encode()
        else:
            headers = {"Content-Type": "application/json"}
            said = httpx.post(f"{self.server.collector}{self.path}", content=body, headers=headers).content
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class World:
    def __init__(self, folder: Path) -> None:
        database = f"sqlite:///{folder / 'collector.db'}"
        self.store = Store.open(database)
        self.cats, self.tokens = open_cats(self.store)
        self.dogs, _ = open_cats(self.store, "dogs")
        self.key = self.store.sealing_keys.rotate(timedelta(days=1))
        self.collector = Collector(database, {"token_per_minute": 0})

    def batch(self, *items: dict[str, Any]) -> list[dict[str, Any]]:
        answer = httpx.post(f"{self.collector.url}/v1/reports:batch", json={"reports": list(items)}, timeout=60)
        assert answer.status_code == 200, answer.text
        results: list[dict[str, Any]] = answer.json()["results"]
        return results

    def seal(self, user: int, body: bytes, kind: str = "report", *, community: str = "cats", n: int = 50) -> str:
        inner = Inner(kind, 1, user, self.tokens[user], body)
        return b64(seal(inner, community=community, n=n, public=self.key.public))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("world"))
    with made.collector:
        yield made
    made.store.close()


@pytest.fixture
def relay(world: World) -> Iterator[Relay]:
    with Relay(world.collector.url) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def member(world: World, folder: Path, user: int, friends: range) -> tuple[Client, Path]:
    file = folder / f"friends-{user}.txt"
    file.write_text("\n".join(f"cat {other}" for other in friends if other != user))
    client = Client(folder / f"home-{user}", pauses=(), timeout=60.0, tick=0.0)
    client.join(Invitation(world.collector.url, "cats", world.tokens[user]), accept=ONE)
    return client, file


@pytest.mark.attack("device")
def test_a_relay_sees_neither_token_nor_report(world: World, relay: Relay, tmp_path: Path) -> None:
    """A relay that reads what it carries."""
    for user, friends in ((10, range(0)), (11, range(20, 21)), (12, range(50))):
        client, file = member(world, tmp_path, user, friends)
        drawn = client.report("cats", friends_file=file, choice="standard", relay=relay.url)
        assert drawn.acknowledged
        assert {each.user: each.body for each in world.store.stored(world.cats)}[user] == drawn.body
        seen = relay.bodies[-1]
        (item,) = json.loads(seen)["reports"]
        assert set(item) == {"community", "sealed"}
        inside = base64.b64decode(item["sealed"])
        token = world.tokens[user]
        for secret in (token.encode(), drawn.body, b64(drawn.body).encode()):
            assert secret not in seen
            assert secret not in inside
        assert token not in relay.heads[-1]
        assert "authorization" not in relay.heads[-1].lower()
    assert len({len(body) for body in relay.bodies}) == 1  # whoever reports, and whatever


@pytest.mark.attack("device")
def test_a_relay_that_lies_gets_the_same_report_again(world: World, relay: Relay, tmp_path: Path) -> None:
    """A relay that says it sent what it did not."""
    client, file = member(world, tmp_path, 13, range(20, 30))
    relay.lies = [{"results": []}, {"results": "all well"}, {"results": [{"status": 500, "title": "no"}]}, {}]
    for _ in range(len(relay.lies)):
        with pytest.raises(SendError):
            client.report("cats", friends_file=file, choice="standard", relay=relay.url)
    relay.lies = [{"results": [{"status": 201}]}]
    drawn = client.report("cats", relay=relay.url)
    assert drawn.acknowledged  # which is the relay's word
    assert 13 not in {each.user for each in world.store.stored(world.cats)}
    before = len(relay.bodies)
    client.report("cats", relay=relay.url)
    assert len(relay.bodies) == before  # nobody is asked: that would show her to the collector
    client.report("cats")  # who asks the collector itself finds out, and sends the same bytes
    assert {each.user: each.body for each in world.store.stored(world.cats)}[13] == drawn.body


@pytest.mark.attack("device")
def test_what_a_relay_kept_is_of_no_use_to_it(world: World) -> None:
    """A relay that sends a sealed report twice, late, or after its withdrawal. A sealed report under another
    community's name.
    """
    mine, other = {"community": "cats", "sealed": world.seal(14, report(14))}, world.seal(14, report(14, degree=9))
    assert [each["status"] for each in world.batch(mine, mine)] == [201, 200]
    assert world.batch(mine)[0]["status"] == 200  # a replay is the same report
    assert world.batch(mine | {"sealed": other})[0]["status"] == 409
    (swapped,) = world.batch(mine | {"community": "dogs"})
    assert (swapped["status"], swapped["type"].rpartition(":")[2]) == (422, "bad-seal")
    assert list(world.store.stored(world.dogs)) == []
    world.store.holdings.withdraw("cats", 14)
    assert world.batch(mine)[0]["status"] == 410
    late = {"community": "cats", "sealed": world.seal(15, report(15))}
    world.store.holdings.withdraw("cats", 15)
    assert world.batch(late)[0]["status"] == 410


def test_sealed_items_are_decided_like_plain_ones(world: World) -> None:
    stolen = Inner("report", 1, 16, world.tokens[17], report(16))
    wrong = b64(seal(stolen, community="cats", n=50, public=world.key.public))
    later = Inner("report", 2, 16, world.tokens[16], report(16))
    early = b64(seal(later, community="cats", n=50, public=world.key.public))
    unknown = world.seal(16, report(16), community="no-such")
    items: list[dict[str, Any]] = [
        {"community": "cats", "sealed": wrong},
        {"community": "cats", "sealed": early},
        {"community": "no-such", "sealed": unknown},
        {"community": "cats", "sealed": world.seal(16, report(17))},
        {"community": "cats", "sealed": "%%%"},
        {"community": "cats", "sealed": "4QAD"},
        {
            "community": "cats",
            "user": 18,
            "epoch": 1,
            "token": world.tokens[18],
            "report": b64(report(18)),
        },
        {"community": "cats", "sealed": world.seal(16, report(16))},
    ]
    found = [(each["status"], each.get("type", "").rpartition(":")[2]) for each in world.batch(*items)]
    expected = [(401, "unauthorized"), (409, "epoch-over"), (401, "unauthorized"), (422, "bad-report")]
    assert found == [*expected, (422, "bad-request"), (422, "bad-seal"), (201, ""), (201, "")]


@pytest.mark.attack("device")
def test_too_many_to_open_are_refused_whole(world: World) -> None:
    """Batches of sealed nonsense, to keep the collector opening them."""
    item = {"community": "cats", "sealed": "4QAD"}
    answer = httpx.post(f"{world.collector.url}/v1/reports:batch", json={"reports": [item] * 201}, timeout=60)
    assert answer.status_code == 422
    assert "200 sealed" in answer.json()["detail"]


def test_answers_come_in_batches_too(world: World) -> None:
    _, tokens = open_bees(world.store)
    digest = world.store.second_round.ask("bees").digest
    body = Answer(BEES, HUB, digest, 4).encode()
    plain = {
        "community": "bees",
        "user": HUB,
        "epoch": 1,
        "token": tokens[HUB],
        "answer": b64(body),
    }
    inner = Inner("answer", 1, HUB, tokens[HUB], body)
    sealed = seal(inner, community="bees", n=BEES, public=world.key.public)
    quiet = plain | {"user": 20, "token": tokens[20]}
    quiet["answer"] = b64(Answer(BEES, 20, digest, 4).encode())
    other = plain | {"answer": b64(Answer(BEES, HUB, digest, 5).encode())}
    stolen = plain | {"token": tokens[20]}
    items = (stolen, quiet, {"community": "bees", "sealed": b64(sealed)}, plain, other)
    found = [(each["status"], each.get("type", "").rpartition(":")[2]) for each in world.batch(*items)]
    expected = [(401, "unauthorized"), (409, "not-asked"), (201, ""), (200, ""), (409, "answer-taken")]
    assert found == expected
    assert [each.count for each in world.store.second_round.answers(world.store.community("bees"))] == [4]


def test_a_key_that_is_gone_is_said_and_the_report_stays_the_same(world: World, relay: Relay, tmp_path: Path) -> None:
    client, file = member(world, tmp_path, 19, range(20, 30))
    world.key = world.store.sealing_keys.rotate(timedelta(days=1))
    assert client.report("cats", friends_file=file, choice="standard", relay=relay.url).acknowledged  # the overlap
    world.key = world.store.sealing_keys.rotate(timedelta(0))
    world.key = world.store.sealing_keys.rotate(timedelta(0))
    late, file = member(world, tmp_path, 21, range(20, 30))
    world.key = world.store.sealing_keys.rotate(timedelta(0))
    with pytest.raises(SendError, match="has changed the key"):
        late.report("cats", friends_file=file, choice="standard", relay=relay.url)
    kept = late.report("cats", dry_run=True).body
    late.join(Invitation(world.collector.url, "cats", world.tokens[21]), accept=ONE)
    assert late.report("cats", relay=relay.url).body == kept
    assert {each.user: each.body for each in world.store.stored(world.cats)}[21] == kept


def test_a_relay_that_cannot_be_used_is_refused_before_the_draw(world: World, tmp_path: Path) -> None:
    client, file = member(world, tmp_path, 22, range(20, 30))
    with pytest.raises(WireError, match="https"):
        client.report("cats", friends_file=file, choice="standard", relay="http://relay.example.org")
    (path,) = client.home.glob("memberships/*/community.json")
    fields = json.loads(path.read_text())
    path.write_text(
        json.dumps({name: fields[name] for name in ("accepted", "published")})
    )  # joined before there was a key
    with pytest.raises(ClientError, match="no key to seal to"):
        client.report("cats", friends_file=file, choice="standard", relay="https://relay.example.org")
    path.write_text(json.dumps(fields | {"sealing_key": "04" + "00" * 64}))
    with pytest.raises(ClientError, match="is no key"):
        client.report("cats", friends_file=file, choice="standard", relay="https://relay.example.org")
    assert client.status()[0].spent == 0
