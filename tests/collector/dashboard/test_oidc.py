"""Sign-in by OpenID Connect, against a provider that the tests start, and that can lie."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from benchmarks.services import free_port
from joserfc.jwk import RSAKey
from tests.collector.dashboard.provider import CLIENT, SECRET, FakeProvider
from tests.collector.people import ALICE
from tests.collector.site import Site

from graphldp.collector.actions import administration as operators
from graphldp.collector.dashboard.oidc import Provider
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.roles import Role
from graphldp.collector.settings import load_settings
from graphldp.collector.storage.operating.sign_ins import SignIn
from graphldp.errors import ForbiddenError, ParameterError

ANN = {"sub": "1234", "email": "ann@example.org", "email_verified": True, "groups": ["staff"]}


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as made:
        yield made


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, provider: FakeProvider) -> Iterator[Site]:
    port = free_port()
    settings = {"oidc_issuer": provider.issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
    settings["oidc_redirect"] = f"http://127.0.0.1:{port}"
    made = Site(tmp_path_factory.mktemp("site"), dict(settings), port=port)
    with made.collector:
        yield made
    made.http.close()
    made.store.close()


@pytest.fixture
def site(running: Site, provider: FakeProvider) -> Site:
    """With nobody on the list, and an honest provider."""
    for kind, value, _ in running.store.sign_ins.rules():
        running.store.sign_ins.disallow(kind, value)
    provider.claims, provider.forge = dict(ANN), provider.sign
    return running


def browser(site: Site) -> httpx.Client:
    """Somebody's browser; it leaves no connection open."""
    return httpx.Client(base_url=site.collector.url, timeout=60, limits=httpx.Limits(max_keepalive_connections=0))


def answer_of(site: Site, http: httpx.Client) -> str:
    """Where the provider sends somebody back to who began to sign in."""
    asked = http.get("/login/oidc")
    assert asked.status_code == 303
    return httpx.get(asked.headers["location"]).headers["location"]


def sign_in(site: Site) -> tuple[httpx.Client, httpx.Response]:
    http = browser(site)
    return http, http.get(answer_of(site, http))


def refused(answer: httpx.Response) -> bool:
    return answer.status_code == 401 and "not signed in" in answer.text and "graphldp_session" not in answer.cookies


@pytest.mark.parametrize(
    ("kind", "value", "role"),
    [("subject", "1234", Role.VIEWER), ("email", "Ann@Example.org", Role.OPERATOR), ("group", "staff", Role.VIEWER)],
)
def test_who_is_on_the_list_signs_in(site: Site, kind: str, value: str, role: Role) -> None:
    operators.allow(site.store, ALICE, value, kind, role)
    http, answer = sign_in(site)
    assert (answer.status_code, "You are signed in" in answer.text) == (200, True)
    assert "samesite=strict" in answer.headers["set-cookie"].lower()
    assert http.get("/dashboard").status_code == 200
    entry = site.store.audit_log.entries()[-1]
    assert (entry.actor, entry.role, entry.action) == ("oidc:ann@example.org", role.title, "operator.log-in")
    operators.disallow(site.store, ALICE, value, kind)  # whoever is taken from the list is out with her next request
    assert http.get("/dashboard").headers["location"] == "/login"


def test_the_highest_role_counts_and_is_looked_up_anew(site: Site) -> None:
    site.store.sign_ins.allow("group", "staff", Role.VIEWER)
    site.store.sign_ins.allow("email", "ann@example.org", Role.ADMINISTRATOR)
    http, _ = sign_in(site)
    session = site.store.operators.session(http.cookies["graphldp_session"])
    assert session is not None
    assert session.actor.role is Role.ADMINISTRATOR
    site.store.sign_ins.disallow("email", "ann@example.org")
    session = site.store.operators.session(http.cookies["graphldp_session"])
    assert session is not None
    assert session.actor.role is Role.VIEWER


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "other", "email": "bob@example.org", "groups": []},
        {"email_verified": False, "groups": []},  # anybody can claim an address
        {"email_verified": "true", "groups": []},
        {"groups": "staff", "email_verified": False},
    ],
)
def test_who_is_not_on_the_list_does_not(site: Site, provider: FakeProvider, claims: dict[str, Any]) -> None:
    """Claim an e-mail address that the provider has not verified."""
    site.store.sign_ins.allow("email", "ann@example.org", Role.OPERATOR)
    site.store.sign_ins.allow("group", "staff", Role.OPERATOR)
    provider.claims |= claims
    assert refused(sign_in(site)[1])


FORGERIES: dict[str, Callable[[FakeProvider], Callable[[dict[str, Any]], str]]] = {
    "another key": lambda made: lambda claims: made.sign(claims, RSAKey.generate_key(2048)),
    "no signature": lambda made: made.unsigned,
    "the public key as a secret": lambda made: made.by_secret,
    "another audience": lambda made: lambda claims: made.sign(claims | {"aud": "another"}),
    "another party among several": lambda made: lambda claims: made.sign(claims | {"aud": [CLIENT, "b"], "azp": "b"}),
    "several audiences, and no party": lambda made: lambda claims: made.sign(claims | {"aud": [CLIENT, "b"]}),
    "another issuer": lambda made: lambda claims: made.sign(claims | {"iss": "https://evil.example"}),
    "a token that is over": lambda made: lambda claims: made.sign(claims | {"exp": int(time.time()) - 120}),
    "a token from the future": lambda made: lambda claims: made.sign(claims | {"iat": int(time.time()) + 600}),
    "another sign-in's nonce": lambda made: lambda claims: made.sign(claims | {"nonce": "x" * 43}),
    "no nonce": lambda made: lambda claims: made.sign({k: v for k, v in claims.items() if k != "nonce"}),
    "no subject": lambda made: lambda claims: made.sign({k: v for k, v in claims.items() if k != "sub"}),
    "no token": lambda made: lambda claims: "",
}


@pytest.mark.attack("collector")
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_token_opens_nothing(site: Site, provider: FakeProvider, name: str) -> None:
    """Sign in with a forged token: another key, no signature, the public key as a secret, another audience, issuer,
    time or nonce.
    """
    site.store.sign_ins.allow("subject", "1234", Role.ADMINISTRATOR)
    provider.forge = FORGERIES[name](provider)
    before = len(site.store.audit_log.entries())
    assert refused(sign_in(site)[1])
    assert len(site.store.audit_log.entries()) == before


def test_several_audiences_are_good_where_this_client_is_meant(site: Site, provider: FakeProvider) -> None:
    site.store.sign_ins.allow("subject", "1234", Role.VIEWER)
    provider.forge = lambda claims: provider.sign(claims | {"aud": [CLIENT, "b"], "azp": CLIENT})
    assert sign_in(site)[1].status_code == 200


@pytest.mark.attack("collector")
def test_a_state_opens_once_and_in_its_own_browser(site: Site) -> None:
    """Replay a sign-in, or make somebody finish another's."""
    site.store.sign_ins.allow("subject", "1234", Role.VIEWER)
    http = browser(site)
    back = answer_of(site, http)
    assert refused(browser(site).get(back))  # somebody else's link, as in a forged sign-in
    assert refused(http.get(back))  # which has used it up
    back = answer_of(site, http)
    assert http.get(back).status_code == 200
    assert refused(http.get(back))  # a replay
    code = parse_qs(urlsplit(answer_of(site, http)).query)["code"][0]
    for state in ("", "x" * 43):
        assert refused(http.get("/login/oidc/callback", params={"code": code, "state": state}))
    assert refused(http.get("/login/oidc/callback"))


def test_a_new_key_of_the_provider_is_fetched(site: Site, provider: FakeProvider) -> None:
    site.store.sign_ins.allow("subject", "1234", Role.VIEWER)
    assert sign_in(site)[1].status_code == 200
    provider.key = RSAKey.generate_key(2048, {"kid": "one"})
    assert sign_in(site)[1].status_code == 200


def test_only_administrators_change_the_list(site: Site) -> None:
    bob = site.store.operators.keyed(site.store.operators.add("bob"))
    assert bob is not None
    with pytest.raises(ForbiddenError):
        operators.allow(site.store, bob, "1234", "subject", Role.ADMINISTRATOR)
    assert site.store.sign_ins.rules() == []
    for kind, value in (("name", "ann"), ("email", ""), ("group", "a\nb")):
        with pytest.raises(ParameterError):
            operators.allow(site.store, ALICE, value, kind, Role.VIEWER)
    with pytest.raises(ParameterError, match="one that may sign in"):
        operators.disallow(site.store, ALICE, "ann@example.org", "email")
    with pytest.raises(ParameterError, match="oidc:"):
        site.store.operators.add("oidc:ann@example.org")  # the log could not tell the two apart


@pytest.mark.parametrize(
    ("name", "value"),
    [("oidc_issuer", "http://id.example.org"), ("oidc_redirect", "reports.example.org"), ("oidc_client_id", "")],
)
def test_a_provider_that_cannot_be_believed_is_refused(name: str, value: str) -> None:
    good = {"oidc_issuer": "https://id.example.org", "oidc_client_id": "c", "oidc_redirect": "https://a.example"}
    load_settings(good, {})
    with pytest.raises(ParameterError, match=f"'{name}' parameter"):
        load_settings(good | {name: value}, {})


@pytest.mark.attack("collector")
def test_a_provider_that_never_answers_keeps_nobody_waiting() -> None:
    """A mute provider took a thread of the pool for ten seconds and more from each who came to sign in."""

    async def come(count: int) -> list[BaseException | str]:
        async def silent(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\n")  # a byte now and then would keep a client that waits for the next one
            await over.wait()
            writer.close()

        over = asyncio.Event()
        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        issuer = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        given = {"oidc_issuer": issuer, "oidc_client_id": CLIENT, "oidc_redirect": "http://127.0.0.1:1"}
        provider, begun = (
            Provider(load_settings(given, {}), seconds=0.3),
            SignIn("state", "nonce", "verifier", "browser"),
        )
        found = await asyncio.gather(*(provider.ask(begun) for _ in range(count)), return_exceptions=True)
        over.set()
        server.close()
        return found

    kinds = [type(each) for each in asyncio.run(come(20))]
    assert (kinds.count(ForbiddenError), kinds.count(ProblemError)) == (8, 12)
