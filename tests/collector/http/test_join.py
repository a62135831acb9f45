from __future__ import annotations

import re

import pytest
from tests.collector.site import Site, problem

from graphldp.client.sending.page import verify_page
from graphldp.wire.bundle import BUNDLE_LIST, PAGE, installed_bundle

TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
TYPES |= {"json": "application/json", "svg": "image/svg+xml"}


@pytest.mark.attack("collector")
def test_the_page_is_served_as_it_was_built_and_may_ask_this_server_alone(site: Site) -> None:
    """Make our page load a script or send a list elsewhere."""
    page = site.http.get(f"{site.collector.url}/join")
    assert page.content == installed_bundle()[PAGE]
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers.get_list("cache-control") == ["no-store"]
    assert page.headers["referrer-policy"] == "no-referrer"
    policies = page.headers.get_list("content-security-policy")
    assert len(policies) == 1
    rules = dict(rule.strip().split(" ", 1) for rule in policies[0].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["worker-src"] == "blob:"
    assert set(rules.values()) == {"'none'", "'self'", "blob:"}
    assert rules["connect-src"] == "'self'"


def test_files_are_kept_for_ever_but_for_the_list(site: Site) -> None:
    for path, body in installed_bundle().items():
        if path == PAGE:
            continue
        answer = site.http.get(f"{site.collector.url}/{path}")
        assert answer.content == body
        assert answer.headers["content-type"].startswith(TYPES[path.rpartition(".")[2]])
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "connect-src 'self'" in answer.headers["content-security-policy"]  # which is that of a worker, too
        kept = "no-store" if path == BUNDLE_LIST else "public, max-age=31536000, immutable"
        assert answer.headers.get_list("cache-control") == [kept]


def test_head_is_answered_like_get_without_a_body(site: Site) -> None:
    """Of pages, of files and of what is not there; whoever checks links or health asks so."""
    for path in ("", "how", "play", "join", BUNDLE_LIST, "healthz", "static/style.css", "nothing"):
        head, page = (site.http.request(way, f"{site.collector.url}/{path}") for way in ("HEAD", "GET"))
        assert head.status_code == page.status_code, path
        assert head.content == b""
        assert head.headers["content-type"] == page.headers["content-type"]
        assert head.headers.get("content-length") == page.headers.get("content-length")


def test_the_page_names_only_files_of_the_bundle(site: Site) -> None:
    text = installed_bundle()[PAGE].decode()
    named = re.findall(r'(?:src|href)="\./([^"]*)"', text)
    assert named
    assert set(named) <= set(installed_bundle())
    assert not re.search(r'(?:src|href)="(?!\./)', text)
    assert "<style" not in text
    assert not re.search(r"<script(?![^>]* src=)", text)


@pytest.mark.parametrize("path", ["join/none.js", "join/join.html", "join/..%2fjoin.html", "join/%2e%2e/bundle.py"])
def test_nothing_else_is_there(site: Site, path: str) -> None:
    assert problem(site.http.get(f"{site.collector.url}/{path}")) == (404, "not-found")


def test_a_member_can_verify_it(site: Site) -> None:
    assert verify_page(f"{site.collector.url}/join").same
