from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.clients.host import Host, running_host
from typer.testing import CliRunner

from graphldp.cli.client import app
from graphldp.client.sending.page import verify_page
from graphldp.errors import SendError, WireError
from graphldp.wire import spoken
from graphldp.wire.bundle import BUNDLE_LIST, PAGE, POLICY, bundle_digest, installed_bundle

FILE = next(path for path in installed_bundle() if path.endswith(".js"))


@pytest.fixture(scope="module")
def running() -> Iterator[Host]:
    with running_host() as server:
        yield server


@pytest.fixture
def host(running: Host) -> Host:
    running.restore()
    return running


@pytest.mark.attack("page")
def test_our_own_page_is_the_same_and_a_token_goes_nowhere(host: Host) -> None:
    """A whole invitation link, given to `verify-web` by mistake."""
    for url in (host.url, f"{host.url}/join", f"{host.url}/join/", f"{host.url}/join#2.secret/cats"):
        check = verify_page(url)
        assert check.same
        assert {each.file for each in check.files} == set(installed_bundle())
    assert not [each for each in host.asked if "secret" in each]


@pytest.mark.attack("page")
@pytest.mark.parametrize("path", sorted(installed_bundle()))
def test_one_byte_of_any_file_is_seen(host: Host, path: str) -> None:
    """Serve members a page other than ours, or one changed file of it."""
    body = installed_bundle()[path]
    changed = bytes((body[0] ^ 1,)) + body[1:]
    host.files["/join" if path == PAGE else f"/{path}"] = changed
    assert [each.file for each in verify_page(host.url).files if not each.same] == [path]


def test_missing_moved_and_further_files_are_named(host: Host) -> None:
    host.files[f"/{FILE}"] = 302
    host.files[f"/elsewhere/{FILE}"] = installed_bundle()[FILE]
    more = json.loads(installed_bundle()[BUNDLE_LIST])
    more["files"]["join/more.js"] = "0" * 64
    host.files[f"/{BUNDLE_LIST}"] = json.dumps(more).encode()
    found = {each.file: each.found for each in verify_page(host.url).files if not each.same}
    assert set(found) == {FILE, BUNDLE_LIST, "join/more.js"}
    assert "302" in found[FILE]
    host.files[f"/{BUNDLE_LIST}"] = b"[]"
    assert {each.file for each in verify_page(host.url).files if not each.same} == {FILE, BUNDLE_LIST}


@pytest.mark.attack("page")
@pytest.mark.parametrize(
    ("path", "name", "value", "said"),
    [
        ("/join", "Refresh", "0; url=/elsewhere", "Refresh"),
        ("/join", "Link", "</elsewhere.css>; rel=stylesheet", "Link"),
        (f"/{FILE}", "Link", "</elsewhere.js>; rel=preload", "Link"),
        (f"/{FILE}", "Service-Worker-Allowed", "/", "Service-Worker-Allowed"),
        ("/join", "Speculation-Rules", '"/elsewhere.json"', "Speculation-Rules"),
        ("/join", "Clear-Site-Data", '"storage"', "Clear-Site-Data"),
        ("/join", "content-type", "text/html; charset=utf-16", "Content-Type"),
        ("/join", "content-type", "application/xhtml+xml", "Content-Type"),
        (f"/{FILE}", "content-type", "text/plain", "Content-Type"),
        (f"/{FILE}", "x-content-type-options", "", "nosniff"),
        (f"/{FILE}", "x-content-type-options", "sniff, nosniff", "nosniff"),
        ("/join", "origin-agent-cluster", "?1, ?1", "Origin-Agent-Cluster"),
        ("/join", "referrer-policy", "unsafe-url", "Referrer-Policy"),
        ("/join", "origin-agent-cluster", "?0", "Origin-Agent-Cluster"),
        ("/join", "cache-control", "max-age=31536000", "older page"),
        ("/join", "cache-control", "no-store\xa0", "do not read"),
        (f"/{FILE}", "x-content-type-options", "nosniff\xa0", "do not read"),
        ("/join", "content-security-policy", POLICY.replace("default-src ", "default-src\xa0"), "do not read"),
        ("/join", "content-security-policy", "", "Policy"),
        ("/join", "content-security-policy", POLICY.replace("script-src 'self'", "script-src *"), "Policy"),
        ("/join", "content-security-policy", f"script-src *; {POLICY}", "Policy"),
        ("/join", "content-security-policy", POLICY.replace("connect-src 'self'", "connect-src *"), "Policy"),
    ],
)
def test_headers_with_which_a_browser_runs_something_else_are_named(
    host: Host, path: str, name: str, value: str, said: str
) -> None:
    """Our bytes with a header that makes a browser load, keep or believe something else are not our page."""
    host.of[path] = {name: value}
    (found,) = [each for each in verify_page(host.url).files if not each.same]
    assert f"/{found.file}".removesuffix(".html") == path
    assert said in found.found


def test_a_proxy_may_say_again_what_the_page_says(host: Host) -> None:
    host.headers |= {"x-content-type-options": "nosniff, nosniff", "referrer-policy": "no-referrer, no-referrer"}
    assert verify_page(host.url).same


def test_a_page_that_is_hosted_elsewhere_may_name_its_collector(host: Host) -> None:
    host.allow("https://reports.example.org")
    assert verify_page(host.url).same
    for more in ("https://a.example https://b.example", "https://*", "http://a.example", "https:"):
        host.allow(more)
        assert not verify_page(host.url).same


@pytest.mark.attack("page")
def test_it_is_asked_for_as_a_browser_asks(host: Host) -> None:
    """A server that hands our page to our program alone does not know the program by its User-Agent."""
    verify_page(host.url)
    assert all("Mozilla/5.0" in asked and "Accept-Language" in asked for asked in host.asked)
    assert not [asked for asked in host.asked if "graphldp" in asked or "python" in asked.lower()]


def test_what_cannot_be_compared(host: Host) -> None:
    host.files["/join"] = bytes((1 << 22) + 1)
    with pytest.raises(SendError, match="larger"):
        verify_page(host.url)
    with pytest.raises(SendError, match="not reached"):
        verify_page("http://127.0.0.1:9")
    for bad in ("", "reports.example.org", "http://reports.example.org", "ftp://a.example"):
        with pytest.raises(WireError):
            verify_page(bad)


def test_the_command(host: Host) -> None:
    digest = bundle_digest(installed_bundle()[BUNDLE_LIST])
    good = CliRunner().invoke(app, ["verify-web", host.url])
    assert good.exit_code == 0
    assert spoken(digest) in good.stdout
    assert "service worker" in good.stdout
    host.files["/join"] = b"<p>Send me your list."
    bad = CliRunner().invoke(app, ["verify-web", host.url, "--json"])
    assert bad.exit_code == 1
    assert json.loads(bad.stdout)["digest"] == digest
    assert [each["file"] for each in json.loads(bad.stdout)["files"] if not each["same"]] == [PAGE]
