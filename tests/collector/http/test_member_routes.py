"""The API over HTTP, against ``graphldp serve`` as a process of its own."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator

import httpx
import numpy as np
import pytest
from tests.collector.people import N, open_cats, public_report, report
from tests.collector.site import MESSAGES, Site, problem

from graphldp import wire


@pytest.mark.attack("collector")
def test_a_report_is_accepted_once(site: Site) -> None:
    """A stolen invitation, and guesses at the report that its owner sent."""
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
    MESSAGES["community"].validate(shown)
    assert wire.Publication.from_json(shown).published.user == shown["user"] == 5
    assert (shown["id"], shown["n"], shown["mechanism"], shown["epoch"]) == ("cats", N, "dprr", 1)
    assert shown["held"] == []
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
        (
            wire.encode(wire.Report("dprr", N, 10, 0.2, 0.8, 1, np.zeros(0, np.int32))),
            "none of the community's choices",
        ),
        (wire.encode(wire.Report("rr", N, 10, 0.0, 1.0, None, np.ones(1, np.int32))), "by dprr"),
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
    reports = ("cats/reports/-1", "cats/reports/014", "cats/reports/14.0", "CATS/reports/14", "cats/reports/14?epoch=0")
    for wrong in reports:
        answer = site.http.put(f"{base}/v1/communities/{wrong}", headers=headers)
        assert problem(answer) == (422, "bad-request")
        assert "Look at: " in answer.json()["detail"]
    assert problem(site.http.get(f"{base}/nothing/here")) == (404, "not-found")
    answer = site.http.post(f"{base}/v1/communities/cats/reports/14", headers=headers)
    assert answer.status_code == 405
    assert answer.headers["content-type"] == "application/problem+json"


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


def batch_item(user: int, body: bytes, token: str, community: str, epoch: int = 1) -> dict[str, object]:
    encoded = base64.b64encode(body).decode()
    return {"community": community, "user": user, "epoch": epoch, "token": token, "report": encoded}


def test_a_batch_decides_each_report_by_itself(site: Site) -> None:
    def item(user: int, body: bytes, token: str | None = None, community: str = "cats") -> dict[str, object]:
        return batch_item(user, body, token or site.tokens[user], community)

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
    MESSAGES["batch"].validate({"reports": items})
    MESSAGES["batch-results"].validate(answer.json())
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
        b'{"reports": [{"community": "cats", "user": true, "epoch": 1, "token": "t", "report": ""}]}',
        b'{"reports": [{"community": "cats", "user": 1, "epoch": 0, "token": "t", "report": ""}]}',
        json.dumps({"reports": [batch_item(1, b"", "t", "cats")] * 2001}).encode(),
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
    site.store.holdings.delete("dogs", 0)
    assert put(0) == 410
    site.store.close_community("dogs")
    assert put(1) == 409


@pytest.mark.attack("collector")
def test_a_batch_keeps_to_the_epochs_of_its_reports(site: Site) -> None:
    """A late batch of a relay.

    A relay's late retry for epoch 1 once took the user's slot in epoch 2.
    """
    _, tokens = open_cats(site.store, "mice")

    def post(*items: dict[str, object]) -> list[tuple[int, str]]:
        answer = site.http.post(f"{site.collector.url}/v1/reports:batch", json={"reports": items})
        return [(each["status"], each.get("type", "").rpartition(":")[2]) for each in answer.json()["results"]]

    def item(user: int, epoch: int, token: int | None = None) -> dict[str, object]:
        return batch_item(user, report(user), tokens[user if token is None else token], "mice", epoch)

    over, unauthorized = (409, "epoch-over"), (401, "unauthorized")
    assert post(item(0, 1), item(1, 2), item(2, 2, token=3)) == [(201, ""), over, unauthorized]
    second = site.store.open_epoch("mice")  # behind the back of a server that knows the first
    late = [item(3, 1), item(4, 1, token=3), item(0, 1)]
    assert post(*late) == [over, unauthorized, over]
    assert list(site.store.stored(second)) == []
    assert post(*late, item(3, 2), item(5, 3)) == [over, unauthorized, over, (201, ""), over]
    assert [each.user for each in site.store.stored(second)] == [3]


def test_a_batch_without_epochs_is_told_what_is_missing(site: Site) -> None:
    old = batch_item(40, report(40), site.tokens[40], "cats")
    del old["epoch"]
    answer = site.http.post(f"{site.collector.url}/v1/reports:batch", json={"reports": [old]})
    assert problem(answer) == (422, "bad-request")
    assert answer.json()["detail"] == "Look at: reports.0.epoch."


def test_a_member_learns_which_of_her_reports_are_held(site: Site) -> None:
    _, tokens = open_cats(site.store, "owls")
    address = f"{site.collector.url}/v1/communities/owls"

    def held(user: int) -> list[int]:
        answer = site.http.get(address, headers={"Authorization": f"Bearer {tokens[user]}"})
        return list(answer.json()["held"])

    def put(user: int) -> int:
        headers = {"Authorization": f"Bearer {tokens[user]}", "Content-Type": wire.MEDIA_TYPE}
        return site.http.put(f"{address}/reports/{user}", content=report(user), headers=headers).status_code

    assert held(3) == []
    assert put(3) == 201
    assert (held(3), held(4)) == ([1], [])
    site.store.open_epoch("owls")
    assert held(3) == [1]
    assert (put(3), put(4)) == (201, 201)
    assert (held(3), held(4)) == ([1, 2], [2])
    site.store.holdings.delete("owls", 4)
    assert held(4) == [2]  # there is nothing to send again: the slot takes no other


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


@pytest.mark.attack("collector")
def test_a_report_is_withdrawn_with_its_token_and_no_other(site: Site) -> None:
    """A withdrawal with another member's token."""
    address = f"{site.collector.url}/v1/communities/cats/reports"

    def withdraw(user: int | str, token: str | None, query: str = "") -> httpx.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return site.http.delete(f"{address}/{user}{query}", headers=headers)

    assert site.put(40, report(40)).status_code == 201
    assert site.put(41, report(41)).status_code == 201
    for token in (None, "nonsense", site.tokens[41]):
        assert problem(withdraw(40, token)) == (401, "unauthorized")
    stranger = site.http.delete(
        f"{address.replace('cats', 'dogs')}/40", headers={"Authorization": f"Bearer {site.tokens[40]}"}
    )
    assert problem(stranger) == (401, "unauthorized")
    for query in ("?epoch=0", "?epoch=01", "?epoch=x"):
        assert problem(withdraw(40, site.tokens[40], query)) == (422, "bad-request")
    assert {40, 41} <= {each.user for each in site.store.stored(site.cats)}
    for _ in range(2):
        gone = withdraw(40, site.tokens[40], "?epoch=1")
        assert (gone.status_code, gone.content) == (204, b"")
    assert {40, 41} & {each.user for each in site.store.stored(site.cats)} == {41}
    assert problem(site.put(40, report(40))) == (410, "report-deleted")
    item = {"community": "cats", "user": 40, "epoch": 1, "token": site.tokens[40]}
    item["report"] = base64.b64encode(report(40)).decode()
    (result,) = site.http.post(f"{site.collector.url}/v1/reports:batch", json={"reports": [item]}).json()["results"]
    assert result["status"] == 410


@pytest.mark.attack("collector")
@pytest.mark.parametrize("address", ["/v1/communities/c%00ts", "/dashboard/communities/c%00ts", "/?search=%00", "/%1f"])
def test_an_address_with_a_control_character_is_refused(site: Site, address: str) -> None:
    """A NUL in a path or a parameter was a 503, as if PostgreSQL were away."""
    assert problem(site.http.get(f"{site.collector.url}{address}")) == (422, "bad-request")


@pytest.mark.attack("collector")
@pytest.mark.parametrize("address", ["/static/" + "a/" * 30_000, "/" + "a" * 1001, "/?" + "a=b&" * 15_000])
def test_a_long_address_is_refused(site: Site, address: str) -> None:
    """A file in 30,000 folders: to look for it took all threads for a tenth of a second."""
    assert problem(site.http.get(f"{site.collector.url}{address}")) == (422, "bad-request")


@pytest.mark.attack("collector")
@pytest.mark.parametrize("asked", ["bytes=x", "bytes=5-1", "bytes=99999999-", "apples"])
def test_nobody_gets_a_part_of_a_file(site: Site, asked: str) -> None:
    """A bad range was refused in plain text."""
    answer = site.http.get(f"{site.collector.url}/static/style.css", headers={"Range": asked})
    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) == len(answer.content)
