"""Forms are taken from their own page, and from nowhere else."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute
from playwright.sync_api import Page, expect
from tests.collector.browsing import log_in
from tests.collector.dashboard.site import Site
from tests.collector.people import open_cats

from graphldp.collector.actions.job_control import JobProcesses
from graphldp.collector.dashboard import views
from graphldp.collector.dashboard.pages import Templates
from graphldp.collector.dashboard.routes import make_router
from graphldp.collector.settings import load_settings

TEMPLATES = Path(views.__file__).with_name("templates")


def test_closing_needs_the_form_of_the_page(page: Page, site: Site) -> None:
    fish, _ = open_cats(site.store, "fish")
    log_in(page, site.key)
    cookie = {"graphldp_session": page.context.cookies()[0]["value"]}
    address = f"{site.collector.url}/dashboard/communities/fish/close"
    for data in ({}, {"csrf": "x" * 43}):
        assert httpx.post(address, data=data, cookies=cookie).status_code == 403
    page.goto("/dashboard/communities/fish")
    csrf = page.locator("input[name=csrf]").first.input_value()
    assert httpx.post(address, data={"csrf": csrf}).status_code == 403  # without the cookie
    elsewhere = {"Origin": "https://elsewhere.example"}
    assert httpx.post(address, data={"csrf": csrf}, cookies=cookie, headers=elsewhere).status_code == 403
    assert site.store.community("fish").closed_at is None
    page.get_by_text("Close this community").click()
    page.get_by_role("button", name="Close fish").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("closed")
    assert site.store.community("fish").closed_at is not None
    assert fish.closed_at is None


@pytest.mark.attack("collector")
def test_every_form_needs_its_page_and_a_strangers_is_not_read(page: Page, site: Site) -> None:
    """A form on another page that opens, renews or deletes a community in an operator's name. Fifty megabytes sent to
    the form that takes a roster.

    Every address that takes a form, read from the router: a new one cannot be forgotten.
    """
    settings = load_settings({}, {})
    router = make_router(settings, site.store, Templates(settings), JobProcesses.of(settings, site.store))
    forms = [each.path for each in router.routes if isinstance(each, APIRoute) and "POST" in (each.methods or ())]
    assert len(forms) > 9
    before = site.store.find("cats")
    log_in(page, site.key)
    cookie = {"graphldp_session": page.context.cookies()[0]["value"]}
    with httpx.Client(base_url=site.collector.url, cookies=cookie) as http:
        for path in set(forms) - {"/login"}:
            address = (
                path.replace("{id}", "cats").replace("{number}", "1").replace("{kind}", "train").replace("{job}", "1")
            )
            given = {"csrf": "x" * 43, "seen": before[0].version, "typed": "cats", "name": "Other"}
            assert http.post(address, data=given).status_code == 403
            with socket.create_connection(("127.0.0.1", site.collector.port)) as line:  # 413 is for who may send
                line.sendall(f"POST {address} HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n".encode())
                assert line.recv(100).split()[1] == b"403", address
    assert site.store.find("cats") == before


def test_every_form_that_changes_something_carries_the_secret_of_its_session() -> None:
    """Read from the templates: a form that forgot it would be refused to everybody."""
    forms = [
        (file.name, form)
        for file in TEMPLATES.glob("*.html")
        for form in re.findall(r'<form[^>]*method="post".*?</form>', file.read_text(), re.DOTALL)
    ]
    assert len(forms) > 10
    assert [name for name, form in forms if "{{ csrf(session) }}" not in form] == ["login.html"]


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    "written", ["multipart/form-data; boundary=x", "multipart/form-data; x*", "text/plain", ";" * 60_000]
)
def test_the_login_form_takes_one_media_type(site: Site, written: str) -> None:
    """Sixty thousand semicolons in a login's media type took a parser most of a minute."""
    body = b'--x\r\nContent-Disposition: form-data; name="key"\r\n\r\nx\r\n--x--'
    answer = httpx.post(f"{site.collector.url}/login", content=body, headers={"Content-Type": written})
    assert answer.status_code == 415


@pytest.mark.attack("collector")
@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "null", "//", ""])
def test_an_origin_that_is_no_address_is_refused(site: Site, origin: str) -> None:
    """`Origin: http://[`."""
    for address in ("/login", "/logout", "/dashboard/communities/cats/close"):
        answer = httpx.post(f"{site.collector.url}{address}", data={"key": site.key}, headers={"Origin": origin})
        assert answer.status_code == 403


@pytest.mark.attack("collector")
def test_nobody_is_sent_to_the_host_that_a_request_names(site: Site) -> None:
    """`/dashboard/` with a foreign `Host`."""
    for address in ("/", "/dashboard", "/dashboard/", "/dashboard/runs/", "/login/", "/static", "/healthz/", "/v1/"):
        answer = httpx.get(f"{site.collector.url}{address}", headers={"Host": "evil.example"})
        assert "evil.example" not in str(answer.headers)
        assert answer.headers.get("location", "/").startswith("/")
