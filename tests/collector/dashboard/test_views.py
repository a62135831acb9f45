"""What pages are told, and what they show of it."""

from __future__ import annotations

import html
import time
from pathlib import Path

import httpx
import pytest
from tests.collector.dashboard.test_charts import counts_of
from tests.collector.people import open_cats, report, submission
from tests.collector.services import Collector

from graphldp.collector.dashboard import views
from graphldp.collector.dashboard.jobs import shown_jobs
from graphldp.collector.dashboard.pages import Pages
from graphldp.collector.operators import Session
from graphldp.collector.roles import Actor, Role
from graphldp.collector.settings import load_settings
from graphldp.collector.storage.collecting.listing import Wanted
from graphldp.collector.storage.collecting.tally import Tally
from graphldp.collector.storage.operating.results import Prediction, Run
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice


def test_one_is_no_plural() -> None:
    told = [views.counted(count, "community has", "communities have") for count in (0, 1, 2000)]
    assert told == ["0 communities have", "1 community has", "2,000 communities have"]
    assert (views.counted(1, "user"), views.counted(2, "user")) == ("1 user", "2 users")


def test_few_reports_are_not_shown(tmp_path: Path) -> None:
    """24 report, and one more: before her, no page has a mean, a bar or a label."""
    store = Store.open(f"sqlite:///{tmp_path / 'collector.db'}")
    cats, tokens = open_cats(store)
    store.accept([submission(cats, u, tokens[u], report(u, 7), 7) for u in range(24)])
    store.results.set_predictions([Prediction(cats.key, 1, 0.87, 24, "model.npz")])
    few = views.community(store, "cats", 25)
    assert (few["degrees"], few["mean_degree"], few["prediction"]) == (None, None, None)
    assert few["reported"] == 24
    (row,) = views.communities(store, Wanted(), 25)["rows"]
    assert row["prediction"] is None
    store.accept([submission(cats, 24, tokens[24], report(24, 7), 7)])
    store.results.set_predictions([Prediction(cats.key, 1, 0.87, 25, "model.npz")])
    enough = views.community(store, "cats", 25)
    assert (counts_of(enough["degrees"]), enough["mean_degree"]) == ({"any": 25}, 7)
    assert enough["prediction"].label == views.communities(store, Wanted(), 25)["rows"][0]["prediction"].label == 1
    store.close()


def test_a_list_does_not_wait_for_the_first_count_of_many_reports(tmp_path: Path) -> None:
    store, pages = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), Pages(load_settings({}, {}))
    open_cats(store)
    store.tally = Tally(store.engine, few=0)
    session = Session(Actor("ann", Role.VIEWER, "dashboard"), "csrf")
    assert "being counted" in pages.render("communities.html", session, **views.communities(store, Wanted(), 25))
    while store.tally.all() is None:
        time.sleep(0.01)
    assert "of all epochs" in pages.render("communities.html", session, **views.communities(store, Wanted(), 25))
    store.close()


@pytest.mark.parametrize("role", Role)
def test_a_viewer_is_shown_nothing_to_press(tmp_path: Path, role: Role) -> None:
    store, pages = Store.open(f"sqlite:///{tmp_path / 'collector.db'}"), Pages(load_settings({}, {}))
    open_cats(store, label=1)
    choices = [Choice("epsilon-1", 1.0, 0.0)]
    store.open_community("owls", [f"owl {owl}" for owl in range(300)], mechanism="hub-counts", choices=choices)
    session = Session(Actor("ann", role, "dashboard"), "csrf")
    shown = (
        *(("community.html", views.community(store, id, 25)) for id in ("cats", "owls")),
        ("communities.html", views.communities(store, Wanted(), 25)),
        ("classes.html", views.classes(store)),
        ("jobs.html", shown_jobs(store, tmp_path)),
    )
    for name, values in shown:
        page = pages.render(name, session, **values)
        offered = page.count('method="post"') - page.count('action="/logout"') + page.count('class="button"')
        assert (offered > 0) is (role >= Role.OPERATOR), name
    store.close()


def test_whatever_is_stored_is_text_on_every_page(tmp_path: Path) -> None:
    """Hostile values in every field that a community, a run, a label or a flag has."""
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
