"""Closed pairs with the real client and server, on both databases: two rounds, to the lab's triangles."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from benchmarks.services import Collector, free_port
from sqlalchemy import update
from tests.values import some
from tests.walks.test_restore import collect

import graphldp as gl
from graphldp.client.protocol import Client
from graphldp.collector.dashboard import views
from graphldp.collector.offers import PUBLIC, Split, offers
from graphldp.collector.statistics import statistics_of
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.accepting import Ruling
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.copies.export_parquet import read_row_group, write_parquet
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import open_engine, transaction
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError, SendError
from graphldp.privacy.pairs import ANSWER_DAYS, PAIR_SHARES, PAIR_USERS
from graphldp.wire import Invitation, NoisyLists

N = 40
ROSTER = [f"ant {user}" for user in range(N)]
GRAPH = gl.synthetic.barabasi_albert(N, 6, 1, seed=3)
EPSILON = 16.0  # with little noise: a list has a wrong bit with a chance of 0.0017
REPORTING = [*range(30), 35]
LATE, SILENT = 35, 7  # who reports after it was asked, and who does not answer


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = Store(open_engine(database))
    mechanism, choices = offers([EPSILON], "closed-pairs", N, Split())
    opened.open_community("ants", ROSTER, mechanism=mechanism, choices=choices)
    yield opened
    opened.close()


def reported(folder: Path, url: str, user: int, token: str) -> tuple[Client, Any]:
    client, file = Client(folder / f"home-{user}", pauses=(), timeout=60.0, tick=0.0), folder / f"{user}.txt"
    friends = GRAPH.indices[GRAPH.indptr[user] : GRAPH.indptr[user + 1]]
    file.write_text("\n".join(ROSTER[other] for other in friends))
    client.join(Invitation(url, "ants", token), accept=round(EPSILON * 10**6), cap=10**8)
    return client, client.report("ants", friends_file=file).report


def test_two_rounds_from_end_to_end(database: str, store: Store, tmp_path: Path) -> None:
    tokens, port, file = store.invite("ants"), free_port(), tmp_path / "a.backup"
    with Collector(database, port=port) as collector:
        members = {user: reported(tmp_path, collector.url, user, tokens[user]) for user in REPORTING if user != LATE}
        with pytest.raises(SendError, match=r"409.*none yet"):
            members[0][0].answer("ants")
        collect(database, "backup", file)
        question = store.second_round.ask("ants")
        members[LATE] = reported(tmp_path, collector.url, LATE, tokens[LATE])
        assert isinstance(question, NoisyLists)
        for user, (_, report) in members.items():
            same = np.flatnonzero(np.asarray(question.listed)[user]).tolist() == report.neighbours.tolist()
            assert same is (user != LATE)
        answers = {user: client.answer("ants") for user, (client, _) in members.items() if user != SILENT}
        assert {each.answer.question for each in answers.values()} == {question.digest}
        assert members[0][0].answer("ants").body == answers[0].body
        assert members[0][0].status()[0].spent == round(EPSILON * 10**6)  # before the first round, and no more
        collector.stop()
    ants = store.community("ants")
    found = export(store, [ants])
    told = some(found.pair_answers)
    assert np.flatnonzero(np.isfinite(told.told)).tolist() == sorted({*REPORTING} - {SILENT})
    assert told.told[3] == answers[3].answer.count
    assert np.flatnonzero(some(told.listed)).tolist() == sorted({*REPORTING} - {LATE})
    assert found.guarantee.epsilon[0] == pytest.approx(EPSILON)
    spent = (found.epsilon1[0], found.epsilon2[0], np.asarray(found.budget.answer)[0])
    assert spent == pytest.approx([EPSILON * share for share in PAIR_SHARES])
    found.save(tmp_path / "reports.npz")
    write_parquet(store, [ants], tmp_path / "reports.parquet")
    rows = statistics_of(store, [ants], 5)
    for same in (gl.Reports.load(tmp_path / "reports.npz"), read_row_group(tmp_path / "reports.parquet", 0)):
        assert gl.statistics(same, communities=["ants"]).rows == rows.rows
    matrix = np.zeros((N, N))
    matrix[np.repeat(np.arange(N), GRAPH.degrees), GRAPH.indices] = 1
    triangles = np.trace(matrix @ matrix @ matrix) / 6
    # devices draw real coins: six errors, where an interval of 95 % would miss in one run of twenty
    assert rows["triangles"].value == pytest.approx(triangles, abs=6 * rows["triangles"].error)
    assert "answers of 30 of 40 users, and lists" in rows["triangles"].basis
    assert verify(store.engine).problems == []
    store.engine.dispose()
    collect(database, "restore", file, "--yes")  # of before it was asked: it stays asked, the answers are lost
    again = store.community("ants")
    assert store.second_round.listed(again).tolist() == some(told.listed).tolist()
    with Collector(database, port=port) as collector:
        assert members[3][0].answer("ants").body == answers[3].body
        collector.stop()
    assert verify(store.engine).problems == []


def test_what_is_published_does_not_show_who_has_not_reported(store: Store, tmp_path: Path) -> None:
    """A list by chance stands in the place of each: with as many names as one of nobody's friend would have."""
    _, (choice,) = offers([1.0], "closed-pairs", PAIR_USERS, Split())
    names = [f"member {number}" for number in range(PAIR_USERS)]
    store.open_community("many", names, mechanism="closed-pairs", choices=[choice])
    question = store.second_round.ask("many")
    assert isinstance(question, NoisyLists)
    assert len(question.encode()) == 499_753
    rate = 1 / (1 + np.exp(choice.epsilon2 * 8 / 15))
    counts = np.asarray(question.listed).sum()
    pairs = PAIR_USERS * (PAIR_USERS - 1)
    assert abs(counts - rate * pairs) < 6 * np.sqrt(rate * (1 - rate) * pairs)  # false alarms: one in 10⁹
    assert not np.asarray(question.listed).diagonal().any()
    assert not store.second_round.listed(store.community("many")).any()


@pytest.mark.attack("collector")
def test_who_may_read_and_answer(database: str, store: Store, tmp_path: Path) -> None:
    """All noisy lists are for who has sent one, and answers are taken once, of the slot's own member."""
    tokens = store.invite("ants")
    with Collector(database) as collector:
        client, _ = reported(tmp_path, collector.url, 0, tokens[0])
        question = store.second_round.ask("ants")
        base = f"{collector.url}/v1/communities/ants"

        def get(token: str, path: str = "/question") -> httpx.Response:
            return httpx.get(f"{base}{path}", headers={"Authorization": f"Bearer {token}"})

        assert get(tokens[0]).content == question.encode()
        assert get(tokens[1]).json()["type"].endswith("not-asked")
        assert get("no").status_code == 401
        published = get(tokens[0], "").json()
        last = datetime.now(UTC).date() + timedelta(days=ANSWER_DAYS)
        assert (published["answer_until"], published["answered"]) == (last.isoformat(), [])
        client.answer("ants")
        assert get(tokens[0], "").json()["answered"] == [1]
        store.holdings.delete("ants", 0)
        assert list(store.second_round.answers(store.community("ants"))) == []
        assert store.second_round.accept("ants", 0, 1, b"").ruling is Ruling.DELETED
        collector.stop()


def test_what_cannot_be_asked_about_pairs_is_not_opened(store: Store) -> None:
    one, two = (offers([each], "closed-pairs", N, Split())[1][0] for each in (1.0, 2.0))
    many = [f"member {number}" for number in range(PAIR_USERS + 1)]
    for roster, choices in ((ROSTER, [one, two]), (ROSTER, [PUBLIC]), (ROSTER, [one, PUBLIC]), (many, [one])):
        with pytest.raises(ParameterError, match="offers one ε, no public list, and has 2,000 users at most"):
            store.open_community("bees", roster, mechanism="closed-pairs", choices=choices)
    assert [each.id for each in store.communities()] == ["ants"]


def test_nobody_is_asked_once_lists_are_gone(store: Store) -> None:
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    with transaction(store.engine, writes=True) as connection:
        connection.execute(update(schema.communities).values(answer_until=yesterday))
    with pytest.raises(ParameterError, match="are gone from members' devices"):
        store.second_round.ask("ants")
    assert store.open_epoch("ants").answer_until == datetime.now(UTC).date() + timedelta(days=ANSWER_DAYS)


def test_a_page_says_what_everybody_is_asked(store: Store) -> None:
    (row,) = views.community(store, "ants", 5)["spending"]
    assert row["on"] == "4 on her number of friends, 6.4 on her list, 5.6 on the answer"
    assert views.community(store, "ants", 5)["second"] == {"asked": None, "answered": None, "busy_from": 6}
