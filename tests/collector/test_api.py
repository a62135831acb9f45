"""The API over HTTP, against ``graphldp serve`` as a process of its own."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.collector.people import N, open_cats, public_report, report, submission
from tests.collector.services import Collector

from graphldp import wire
from graphldp.collector.intake import Verdict
from graphldp.collector.store import Store

SETTINGS = {"body_seconds": 0.6, "header_seconds": 0.6, "log_level": "debug"}


class Site:
    """A running collector with a community, and how to talk to it."""

    def __init__(self, folder: Path, settings: dict[str, object]) -> None:
        self.database = f"sqlite:///{folder / 'collector.db'}"
        self.store = Store.open(self.database)
        self.cats, self.tokens = open_cats(self.store)
        self.collector = Collector(self.database, settings)
        self.http = httpx.Client(timeout=20)

    def put(self, user: int, body: bytes, token: str | None = None, **headers: str) -> httpx.Response:
        given = {"Authorization": f"Bearer {token or self.tokens[user]}", "Content-Type": wire.MEDIA_TYPE} | headers
        address = f"{self.collector.url}/v1/communities/cats/reports/{user}"
        return self.http.put(address, content=body, headers=given)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"), SETTINGS)
    with made.collector:
        yield made
    made.http.close()
    made.store.close()


def problem(answer: httpx.Response) -> tuple[int, str]:
    """Status and kind of a problem, after checking that it is one."""
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert set(body) <= {"type", "title", "status", "detail"}
    assert body["status"] == answer.status_code
    return answer.status_code, body["type"].rpartition(":")[2]


def test_a_report_is_accepted_once(site: Site) -> None:
    assert site.put(0, report(0)).status_code == 201
    assert site.put(0, report(0)).status_code == 200
    assert problem(site.put(0, report(0, degree=4))) == (409, "slot-taken")
    assert site.put(1, public_report(1)).status_code == 201


def test_what_is_acknowledged_is_in_the_store_byte_for_byte(site: Site) -> None:
    body = report(2, degree=17)
    assert site.put(2, body).status_code == 201
    assert {each.user: each.body for each in site.store.stored(site.cats)}[2] == body


def test_a_community_is_shown_to_its_members(site: Site) -> None:
    address = f"{site.collector.url}/v1/communities/cats"
    shown = site.http.get(address, headers={"Authorization": f"Bearer {site.tokens[5]}"}).json()
    assert shown["user"] == 5
    assert (shown["id"], shown["n"], shown["mechanism"], shown["epoch"]) == ("cats", N, "dprr", 1)
    assert shown["choices"] == [
        {"name": "standard", "epsilon1": 0.1, "epsilon2": 0.9},
        {"name": "public", "epsilon1": None, "epsilon2": None},
    ]
    assert shown["roster"] == [f"cat {u}" for u in range(N)]
    for header in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": f"Basic {site.tokens[5]}"}):
        assert problem(site.http.get(address, headers=header)) == (401, "unauthorized")
    unknown = site.http.get(f"{address}x", headers={"Authorization": f"Bearer {site.tokens[5]}"})
    assert problem(unknown) == (401, "unauthorized")  # as for a wrong token: ids cannot be probed


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "cut short"),
        (b"nonsense", "known version"),
        (report(11), "another slot"),
        (report(10, n=N + 1), "51 users"),
        (report(10)[:-1], ""),
        (report(10) + b"\0", ""),
        (wire.encode(wire.Report("dprr", N, 10, 0.2, 0.8, 1, [])), "none of the community's choices"),
        (wire.encode(wire.Report("rr", N, 10, 0.0, 1.0, None, [1])), "by dprr"),
    ],
)
def test_bad_reports_are_refused_with_a_reason(site: Site, body: bytes, said: str) -> None:
    answer = site.put(10, body)
    assert problem(answer) == (422, "bad-report")
    assert said in answer.json()["detail"]
    without = site.put(10, body, token=f"10.{'x' * 43}")  # nobody without the token learns the reason
    assert problem(without) == (401, "unauthorized")
    assert "detail" not in without.json()


def test_a_token_is_good_for_its_own_slot_only(site: Site) -> None:
    assert problem(site.put(12, report(12), token=site.tokens[13])) == (401, "unauthorized")
    assert problem(site.put(N + 1, report(12), token=site.tokens[12])) == (401, "unauthorized")


def test_wrong_media_type_and_addresses(site: Site) -> None:
    assert problem(site.put(14, report(14), **{"Content-Type": "application/json"})) == (415, "wrong-type")
    base = site.collector.url
    headers = {"Authorization": f"Bearer {site.tokens[14]}"}
    assert problem(site.http.put(f"{base}/v1/communities/cats/reports/-1", headers=headers)) == (422, "bad-request")
    assert problem(site.http.put(f"{base}/v1/communities/CATS/reports/1", headers=headers)) == (422, "bad-request")
    assert problem(site.http.get(f"{base}/nothing/here")) == (404, "not-found")
    wrong = site.http.delete(f"{base}/v1/communities/cats/reports/14", headers=headers)
    assert wrong.status_code == 405
    assert wrong.headers["content-type"] == "application/problem+json"


def test_a_large_body_is_refused_before_it_is_read(site: Site) -> None:
    assert problem(site.put(15, b"x" * (wire.max_size(N) + 1))) == (413, "too-large")

    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 4096

    try:
        headers = {"Authorization": f"Bearer {site.tokens[15]}", "Content-Type": wire.MEDIA_TYPE}
        answer = httpx.put(f"{site.collector.url}/v1/communities/cats/reports/15", content=endless(), headers=headers)
    except httpx.TransportError:
        return  # the server had answered and closed while the body was still being written
    assert problem(answer) == (413, "too-large")


def raw(port: int, *parts: bytes) -> bytes:
    """What the server sends until it closes, to a client that sends these, one after each answer, and then nothing."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        received = b""
        for part in parts[:-1]:
            connection.sendall(part)
            received += connection.recv(4096)
        connection.sendall(parts[-1])
        while chunk := connection.recv(4096):
            received += chunk
        return received


def test_slow_clients_are_cut_off(site: Site) -> None:
    head = (
        f"PUT /v1/communities/cats/reports/16 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {site.tokens[16]}\r\n"
        f"Content-Type: {wire.MEDIA_TYPE}\r\nContent-Length: 20\r\n\r\n"
    ).encode()
    assert b"408" in raw(site.collector.port, head + b"x").split(b"\r\n")[0]
    assert raw(site.collector.port, head[:30]) == b""
    assert raw(site.collector.port, b"") == b""
    health = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    assert raw(site.collector.port, health, b"GET /heal").startswith(b"HTTP/1.1 200")


def test_a_batch_decides_each_report_by_itself(site: Site) -> None:
    def item(user: int, body: bytes, token: str | None = None, community: str = "cats") -> dict[str, object]:
        encoded = base64.b64encode(body).decode()
        return {"community": community, "user": user, "token": token or site.tokens[user], "report": encoded}

    items = [
        item(20, report(20)),
        item(20, report(20)),
        item(20, report(20, degree=5)),
        item(21, report(21), token=site.tokens[22]),
        item(21, b"nonsense"),
        item(21, report(21), community="dogs"),
        item(21, b"x" * 500),
        item(21, report(21)) | {"report": "?"},
        item(21, report(21)),
    ]
    answer = site.http.post(f"{site.collector.url}/v1/reports:batch", json={"reports": items})
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [each["status"] for each in results] == [201, 200, 409, 401, 422, 401, 413, 422, 201]
    assert results[4]["type"] == "urn:graphldp:problem:bad-report"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"reports": []}',
        b'{"reports": [{}]}',
        b'{"reports": [{"community": "cats", "user": true, "token": "t", "report": ""}]}',
        json.dumps({"reports": [{"community": "cats", "user": 1, "token": "t", "report": ""}] * 2001}).encode(),
    ],
)
def test_what_is_no_batch_is_refused_whole(site: Site, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = site.http.post(f"{site.collector.url}/v1/reports:batch", content=body, headers=headers)
    assert problem(answer) == (422, "bad-request")


def test_a_new_epoch_is_seen_at_once(site: Site) -> None:
    _, tokens = open_cats(site.store, "dogs")
    address = f"{site.collector.url}/v1/communities/dogs/reports"

    def put(user: int, token: int | None = None, **query: int) -> int:
        headers = {"Authorization": f"Bearer {tokens[user if token is None else token]}"}
        headers["Content-Type"] = wire.MEDIA_TYPE
        return site.http.put(f"{address}/{user}", content=report(user), headers=headers, params=query).status_code

    assert put(0) == 201
    second = site.store.open_epoch("dogs")
    assert put(1, epoch=1) == 409  # a late retry is not taken for the new epoch's report
    assert put(1, token=2, epoch=1) == 401
    assert put(0) == 201
    assert put(0, epoch=2) == 200
    assert put(1, epoch=1) == 409
    assert [each.user for each in site.store.stored(second)] == [0]
    third = site.store.open_epoch("dogs")
    assert put(0, epoch=3) == 201
    assert [each.user for each in site.store.stored(third)] == [0]
    site.store.delete_report("dogs", 0)
    assert put(0) == 410
    site.store.close_community("dogs")
    assert put(1) == 409


def test_two_at_the_same_moment(site: Site) -> None:
    """Eight clients put different bytes into one slot at once; one is stored, and it is the one that was told so."""
    statuses: dict[int, int] = {}

    def put(degree: int) -> None:
        address = f"{site.collector.url}/v1/communities/cats/reports/30"
        headers = {"Authorization": f"Bearer {site.tokens[30]}", "Content-Type": wire.MEDIA_TYPE}
        statuses[degree] = httpx.put(address, content=report(30, degree), headers=headers).status_code

    threads = [threading.Thread(target=put, args=(degree,)) for degree in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses.values()) == [201] + [409] * 7
    winner = next(degree for degree, status in statuses.items() if status == 201)
    assert {each.user: each.body for each in site.store.stored(site.cats)}[30] == report(30, winner)


def test_health_metrics_and_headers(site: Site) -> None:
    health = site.http.get(f"{site.collector.url}/healthz")
    assert health.json() == {"status": "ok"}
    assert health.headers["cache-control"] == "no-store"
    page = site.http.get(f"{site.collector.url}/play")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert health.headers["x-content-type-options"] == "nosniff"
    assert "server" not in health.headers
    site.put(31, report(31))
    metrics = site.http.get(f"{site.collector.url}/metrics").text
    assert 'graphldp_reports_total{verdict="stored"}' in metrics
    assert "graphldp_store_up 1.0" in metrics
    assert "cats" not in metrics


def test_nothing_secret_is_logged_or_answered(tmp_path: Path) -> None:
    """The log, at its most talkative, and every error answer, after all kinds of requests, hold no token or list."""
    site = Site(tmp_path, SETTINGS)
    bodies = [report(u, neighbours=(1, 2, 3, 40 + u)) for u in range(8)]
    with site.collector:
        answers = [site.put(0, bodies[0]), site.put(0, bodies[1]), site.put(1, bodies[0]), site.put(2, bodies[2][:-2])]
        answers.append(site.put(3, bodies[3], token=site.tokens[4]))
        items = [{"community": "cats", "user": 5, "token": site.tokens[5], "report": bodies[5].hex()}]
        answers.append(site.http.post(f"{site.collector.url}/v1/reports:batch", json={"reports": items}))
        answers.append(site.http.get(f"{site.collector.url}/v1/communities/{site.tokens[6]}"))
        answers.append(site.http.put(f"{site.collector.url}/v1/communities/cats/reports/{site.tokens[6]}"))
        site.store.engine.dispose()
        with site.store.engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE reports")
        answers.append(site.put(7, bodies[7]))
        assert answers[-1].status_code == 503
        assert site.collector.stop() == 0
        log = site.collector.output()
    said = log + "".join(answer.text for answer in answers if answer.status_code >= 400)
    assert "store unavailable" in log
    for token in site.tokens.values():
        assert token not in said
        assert token.partition(".")[2] not in said
    for body in bodies:
        for form in (body.hex(), base64.b64encode(body).decode(), repr(body)[2:-1]):
            assert form not in said
    site.http.close()
    site.store.close()


def test_limits_per_token_and_per_address(tmp_path: Path) -> None:
    site = Site(tmp_path, {"token_per_minute": 3, "address_per_minute": 10})
    with site.collector:
        assert [site.put(0, report(0)).status_code for _ in range(4)] == [201, 200, 200, 429]
        answer = site.put(0, report(0))
        assert problem(answer) == (429, "too-many")
        assert int(answer.headers["retry-after"]) >= 1
        assert site.put(1, report(1)).status_code == 201  # another token is not concerned
        rest = [site.put(2, report(2)).status_code for _ in range(6)]
        assert rest[-1] == 429
        assert site.http.get(f"{site.collector.url}/v1/communities/cats").status_code == 429
        assert site.http.get(f"{site.collector.url}/healthz").status_code == 200
    site.http.close()
    site.store.close()


def test_sigterm_finishes_what_is_under_way(tmp_path: Path) -> None:
    site = Site(tmp_path, {"body_seconds": 10})
    with site.collector:
        body = report(0)
        head = (
            f"PUT /v1/communities/cats/reports/0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {site.tokens[0]}\r\n"
            f"Content-Type: {wire.MEDIA_TYPE}\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode()
        with socket.create_connection(("127.0.0.1", site.collector.port), timeout=10) as connection:
            connection.sendall(head + body[:5])
            time.sleep(0.3)
            assert site.collector.process is not None
            site.collector.process.terminate()
            time.sleep(0.3)
            connection.sendall(body[5:])
            assert connection.recv(4096).startswith(b"HTTP/1.1 201")
        assert site.collector.stop() == 0
    assert site.store.accept([submission(site.cats, 0, site.tokens[0], body)]) == [Verdict.REPEATED]
    site.http.close()
    site.store.close()
