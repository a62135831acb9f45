"""What pages are told, and what they show of it."""

from __future__ import annotations

import html
import math
import time
import tracemalloc
from datetime import date
from pathlib import Path

import httpx
import pytest
from benchmarks.services import Collector
from sqlalchemy import insert
from tests.collector.people import open_cats, report, submission

import graphldp as gl
from graphldp.collector.dashboard import views
from graphldp.collector.dashboard.job_pages import shown_jobs
from graphldp.collector.dashboard.pages import Templates
from graphldp.collector.roles import Actor, Role
from graphldp.collector.settings import load_settings
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.tally import Tally
from graphldp.collector.storage.community_list import CommunitySearch
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating.operators import Session
from graphldp.collector.storage.operating.results import Prediction, Run
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice


def test_one_is_no_plural() -> None:
    told = [views.counted(count, "community has", "communities have") for count in (0, 1, 2000)]
    assert told == ["0 communities have", "1 community has", "2,000 communities have"]
    assert (views.counted(1, "user"), views.counted(2, "user")) == ("1 user", "2 users")


@pytest.mark.parametrize(("groups", "survey"), [(1, "degrees"), (4, "friend counts")])
def test_a_plan_has_what_the_community_will_be_asked(groups: int, survey: str) -> None:
    assert {row.survey for row in views.planned(200, groups, 1.0)["rows"]} == {survey}
    assert {row.survey for row in views.planned(200, groups, 1.0, "closed-pairs")["rows"]} == {"closed pairs"}
    assert {row.survey for row in views.planned(200, groups, 1.0, "rr")["rows"]} == {"lists"}


def test_a_plan_of_degrees_and_lists_has_the_errors_of_what_degrees_get() -> None:
    (friendships, *_), (by_all, *_) = (views.planned(200, 1, 1.0, each)["rows"] for each in ("dprr", ""))
    assert friendships.error == pytest.approx(gl.plan(users=200, epsilon=math.sqrt(8 / 199)).rows[0].error, rel=1e-4)
    assert friendships.error > 4 * by_all.error


def test_what_a_choice_is_spent_on_is_said_as_members_spend_it(tmp_path: Path) -> None:
    """A community too small for hubs spends nothing on lists, whatever its choices would give hubs."""
    store, at_two = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), [Choice("epsilon-2", 0.4, 1.6)]
    told = {}
    for id, n in (("small", 20), ("large", 200)):
        made = store.open_community(id, [f"cat {u}" for u in range(n)], mechanism="hub-lists", choices=at_two)
        (row,) = views.community(store, id, 5)["spending"]
        assert (row["name"], row["epsilon"]) == ("epsilon-2", "2")
        told[id] = row["on"].replace(str(made.hub_from), "HUB")
    assert told["small"] == "her number of friends"
    assert told["large"] == (
        "her number of friends; for hubs, with a noisy number of HUB or more, 0.4 of it on that and 1.6 on a list"
    )
    open_cats(store)
    mixed, public = views.community(store, "cats", 5)["spending"]
    assert (mixed["epsilon"], mixed["on"]) == ("1", "0.1 on her number of friends, 0.9 on her list")
    assert (public["epsilon"], public["on"]) == ("–", "nothing: her list as it is, without noise")
    store.close()


@pytest.mark.attack("collector")
def test_few_reports_are_not_shown(tmp_path: Path) -> None:
    """The dashboard of a community in which few have reported.

    24 report, and one more: before her, no page has a mean, a bar or a label.
    """
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    cats, tokens = open_cats(store)
    store.accept([submission(cats, u, tokens[u], report(u, 7), 7) for u in range(24)])
    store.results.set_predictions([Prediction(cats.key, 1, 0.87, 24, "model.npz")])
    few = views.community(store, "cats", 25)
    assert (few["survey"].rows, few["degrees"], few["first"], few["prediction"]) == (None, None, (), None)
    assert "Fewer than 25" in few["survey"].instead
    assert few["reported"] == 24
    (row,) = views.communities(store, CommunitySearch(), 25)["rows"]
    assert row["prediction"] is None
    store.accept([submission(cats, 24, tokens[24], report(24, 7), 7)])
    store.results.set_predictions([Prediction(cats.key, 1, 0.87, 25, "model.npz")])
    enough = views.community(store, "cats", 25)
    assert enough["survey"].rows["mean degree, of those who reported"].value == 7
    assert enough["degrees"] is not None
    assert (
        enough["prediction"].label
        == views.communities(store, CommunitySearch(), 25)["rows"][0]["prediction"].label
        == 1
    )
    store.close()


@pytest.mark.attack("collector")
def test_a_page_keeps_no_row_of_a_report(store: Store) -> None:
    """A viewer's key and the page of a large community: twenty looks at a million reports took 1.3 GB."""
    n, count = 30_000, 20_000
    names, choices = [f"user {user}" for user in range(n)], [Choice("one", 1.0, 0.0)]
    made = store.open_community("many", names, mechanism="noisy-degrees", choices=choices)
    row = {"community": made.key, "body": b"x", "received_on": date(2026, 1, 1)}
    with transaction(store.engine, writes=True) as connection:
        rows = [row | {"user": user, "noisy_degree": 1000 + user % 40} for user in range(count)]
        connection.execute(insert(schema.reports), rows)
    views.community(store, "many", 25)
    tracemalloc.start()
    page = views.community(store, "many", 25)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert page["survey"].instead == "This takes a while: graphldp collect statistics many"
    assert most < 500_000


def test_a_list_does_not_wait_for_the_first_count_of_many_reports(tmp_path: Path) -> None:
    store, pages = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), Templates(load_settings({}, {}))
    open_cats(store)
    store.tally = Tally(store.engine, few=0)
    session = Session(Actor("ann", Role.VIEWER, "dashboard"), "csrf")
    assert "being counted" in pages.render(
        "communities.html", session, **views.communities(store, CommunitySearch(), 25)
    )
    while store.tally.all() is None:
        time.sleep(0.01)
    assert "of all epochs" in pages.render(
        "communities.html", session, **views.communities(store, CommunitySearch(), 25)
    )
    store.close()


@pytest.mark.parametrize("role", Role)
def test_a_viewer_is_shown_nothing_to_press(tmp_path: Path, role: Role) -> None:
    store, pages = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), Templates(load_settings({}, {}))
    open_cats(store, label=1)
    choices = [Choice("epsilon-1", 1.0, 0.0)]
    store.open_community("owls", [f"owl {owl}" for owl in range(300)], mechanism="hub-counts", choices=choices)
    session = Session(Actor("ann", role, "dashboard"), "csrf")
    shown = (
        *(("community.html", views.community(store, id, 25)) for id in ("cats", "owls")),
        ("communities.html", views.communities(store, CommunitySearch(), 25)),
        ("classes.html", views.classes(store)),
        ("jobs.html", shown_jobs(store, tmp_path)),
    )
    for name, values in shown:
        page = pages.render(name, session, **values)
        offered = page.count('method="post"') - page.count('action="/logout"') + page.count('class="button"')
        assert (offered > 0) is (role >= Role.OPERATOR), name
    store.close()


@pytest.mark.attack("collector")
def test_whatever_is_stored_is_text_on_every_page(tmp_path: Path) -> None:
    """Hostile text in every stored field.

    Hostile values in every field that a community, a run, a label or a flag has.
    """
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    texts = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7654321 * 7 }}")
    for place, text in enumerate(texts):
        choices = [Choice(text, 0.1, 0.9)]
        made = store.open_community(f"cats-{place}", [text, "bob"], mechanism="dprr", choices=choices, name=text)
        store.results.set_flags(made.key, {0: text})
        store.results.set_predictions([Prediction(made.key, 1, 0.9, 30, text)])
        store.results.add_run(Run(text, 1, 2, 2, 0.5, {text: text, "epochs": text, "seed": [text]}))
        key = store.operators.add(text[:64])
    with Collector(store.engine.url.render_as_string()) as collector, httpx.Client(base_url=collector.url) as http:
        assert http.post("/login", data={"key": key}).status_code == 303
        one_each = {f"/dashboard/communities/cats-{place}": (text,) for place, text in enumerate(texts)}
        for address, shown in ({"/dashboard": texts, "/dashboard/runs": texts} | one_each).items():
            page = http.get(address).text
            for text in shown:
                assert html.escape(text, quote=False)[:5] in page.replace("&#34;", '"')
            assert "<script>alert" not in page
            assert "<img src=x" not in page
            assert str(7654321 * 7) not in page
    store.close()
