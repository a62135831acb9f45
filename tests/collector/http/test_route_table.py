"""Every route against its row: who may call it, what is read of whom, and what hostile bodies cost."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote

import httpx
import numpy as np
import pytest
from tests.collector.http.routes import Way, ways
from tests.collector.people import submission
from tests.collector.site import HASTY, Site, linux

from graphldp import wire
from graphldp.collector.actions.inviting import MOST
from graphldp.collector.http.route_table import FORM, JSON, MEMBERS_PATHS, ROUTES, TABLE, UPLOAD_FORM, Caller, Route
from graphldp.collector.offers import Split, offers
from graphldp.collector.roles import LEAST, Role
from graphldp.collector.settings import load_settings

SETTINGS = load_settings({}, {})
TICK = os.sysconf("SC_CLK_TCK")
SMALL = 100_000
_LISTS = {"/v1/operator/communities": b"roster", "/v1/reports:batch": b"reports"}
_FIELDS = (b"id", b"name", b"label", b"public", b"purpose", b"alpha")
Headers = dict[str, str]


class Target(Site):
    """A collector with a key of each role, and how to send bytes to each of its routes."""

    def __init__(self, folder: Path, settings: dict[str, object]) -> None:
        super().__init__(folder, settings)
        self.keys = {role: self.store.operators.add(role.title, role) for role in Role}
        self.ways = {(way.method, way.path): way for way in ways(self.store)}
        self.forms: dict[Role, tuple[str, str]] = {}

    def log_in(self) -> None:
        """A session of each role, and what its forms carry."""
        for role, key in self.keys.items():
            answer = httpx.post(f"{self.collector.url}/login", data={"key": key})
            secret = answer.cookies["graphldp_session"]
            session = self.store.operators.session(secret)
            assert session is not None
            self.forms[role] = secret, session.csrf

    def headers(self, route: Route, role: Role | None) -> Headers:
        """What somebody of a role sends; a member's token where the route is for members."""
        if route.caller is Caller.MEMBER:
            return {"Authorization": f"Bearer {self.tokens[0]}"} if role else {}
        if role is None:
            return {}
        return {"Authorization": f"Bearer {self.keys[role]}", "Cookie": f"graphldp_session={self.forms[role][0]}"}

    def send(
        self, route: Route, headers: Headers, body: bytes = b"", length: int | None = None, query: str = ""
    ) -> int:
        """The status of a request that may say another length than it has."""
        way = self.ways[route.method, route.path]
        given = {"Host": "x", "Content-Length": str(len(body) if length is None else length)} | headers
        head = f"{way.method} {way.address}{query} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in given.items())
        with socket.create_connection(("127.0.0.1", self.collector.port), timeout=60) as line:
            with suppress(OSError):  # it may have answered before the end
                line.sendall(f"{head}\r\n".encode() + body)
            return int(line.recv(100).split()[1])

    def used(self) -> tuple[float, float]:
        """Seconds of processor time so far, and the most megabytes since they were last looked at."""
        about = linux(self.collector.pid)
        fields = (about / "stat").read_text().rpartition(")")[2].split()
        most = int((about / "status").read_text().partition("VmHWM:")[2].split()[0]) / 1000
        (about / "clear_refs").write_text("5")
        return (int(fields[11]) + int(fields[12])) / TICK, most


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    made = Target(tmp_path_factory.mktemp("site"), {"body_seconds": 6})
    with made.collector:
        made.log_in()
        yield made
    made.http.close()
    made.store.close()


def reached() -> list[Route]:
    """The rows of a collector without a provider."""
    return [route for route in TABLE if not route.path.startswith("/login/oidc")]


def test_every_route_has_a_row_and_every_row_a_route(target: Target) -> None:
    assert set(target.ways) == set(ROUTES)
    assert len(ROUTES) == len(TABLE) > 60


def test_a_row_and_its_action_want_the_same_role() -> None:
    for route in TABLE:
        if isinstance(route.caller, Role) and route.caller > Role.VIEWER:
            assert LEAST[route.action] is route.caller, route
        else:
            assert not route.action, route


def test_the_members_address_has_what_is_for_members() -> None:
    for route in TABLE:
        address = route.path.replace("{", "").replace("}", "")
        expected = route.caller in (Caller.ANYBODY, Caller.MEMBER)
        assert bool(MEMBERS_PATHS.fullmatch(address)) is expected, route
    assert MEMBERS_PATHS.fullmatch("/static/style.css")


@pytest.mark.attack("collector")
def test_no_more_is_read_of_a_stranger_than_a_row_says(target: Target) -> None:
    """A stranger says that a longer body comes than anybody reads of her, and is answered before it does."""
    for route in reached():
        kind = route.cost.types[0] if route.cost.types else "text/plain"
        longer = route.cost.unknown(SETTINGS) + 1
        status = target.send(route, {"Content-Type": kind}, length=longer)
        open_to_all = isinstance(route.caller, Caller) and route.caller is not Caller.MEMBER
        refused = (413,) if route.cost.types and open_to_all else (303, 401, 403)
        assert status in ((200, 404) if open_to_all and not route.cost.types else refused), (route, status)


@pytest.mark.attack("collector")
def test_roles_come_before_bodies(target: Target) -> None:
    """A viewer's key made the collector read and check 48 MB before it was told that it may not send them."""
    for route in reached():
        if isinstance(route.caller, Role) and route.caller > Role.VIEWER:
            kind = route.cost.types[0] if route.cost.types else JSON
            headers = target.headers(route, Role.VIEWER) | {"Content-Type": kind}
            length = max(1, route.cost.known(SETTINGS))
            assert target.send(route, headers, length=length) == 403, route


@pytest.mark.attack("collector")
def test_the_secret_of_a_form_comes_before_the_rest_of_it(target: Target) -> None:
    """A long form without the secret of its session was read to its end and taken apart."""
    route = ROUTES["POST", "/dashboard/new"]
    headers = target.headers(route, Role.OPERATOR) | {"Content-Type": "multipart/form-data; boundary=x"}
    part = b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    for begin in (part % (b"csrf", b"wrong"), part % (b"names", b"ann"), b""):
        assert target.send(route, headers, begin + part % (b"names", b"x" * 5000), 48_000_000) in (403, 422)


def hostile(route: Route, size: int, csrf: str) -> Iterator[tuple[Headers, bytes]]:
    """Bodies up to a size that are no honest one."""
    if not route.cost.types:
        yield {"Content-Type": JSON}, b"[" * 100_000
        return
    for kind in ("a/b" + ";" * 60_000, "multipart/form-data; x*", "multipart/form-data; boundary=", UPLOAD_FORM):
        yield {"Content-Type": kind}, b"x" * 100
    for kind in route.cost.types:
        if kind == JSON:
            start, fill = b'{"id":"a","epsilons":[1],', size - 100
            for part, end in ((b"[", b""), (b'{"a":', b""), (b'"a":1,', b'"a":1}'), (b"[],", b"[]]"), (b"1,", b"1]")):
                yield {"Content-Type": kind}, part * (fill // len(part)) + end
                name = _LISTS.get(route.path, b"name")
                yield {"Content-Type": kind}, start + b'"%s":[' % name + part * (fill // len(part)) + end + b"}"
            yield {"Content-Type": kind}, b'{"name":"' + b"\\u0000" * 1000 + b'"}'
            wrong = b",".join(b'"%s":[' % name + b'"aaaaaaaaa",' * (fill // 72) + b'"a"]' for name in _FIELDS)
            yield {"Content-Type": kind}, b"{" + wrong + b"}"
            yield {"Content-Type": kind}, start + b'"roster":["a"],' + b'"b" :1,' * (fill // 7) + b'"c":1}'
        elif kind == FORM:
            secret = f"csrf={csrf}&".encode()
            for part in (b"a=1&", b"%41", b"key=x;", b"names=%0A&", b"&"):
                yield {"Content-Type": kind}, secret + part * ((min(size, 4096) - len(secret)) // len(part))
            yield {"Content-Type": kind}, secret + b"name=a%00b&id=a%00b&key=%00&role=viewer"
        elif kind == UPLOAD_FORM:
            part = b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n'
            begin = part % (b"csrf", b"") + csrf.encode() + b"\r\n" + part % (b"epsilon", b"") + b"1\r\n"
            fill, end = size - 1000, b"\r\n--x--\r\n"
            for content in (
                b"\n",
                b"ab\n",
                b"[",
                b'"a",',
                b"\xff",
                b"\xef\xb7\xba",
                b"\xcc\x81\xcc\xa7",
                b",",
                b"\x00",
                b"\r",
                b"a" * 200 + b"\n",
            ):
                for about in (b"", b'; filename="a.csv"'):
                    name = b"file" if about else b"names"
                    yield (
                        {"Content-Type": f"{kind}; boundary=x"},
                        begin + part % (name, about) + content * (fill // len(content)) + end,
                    )
            tiny = part % (b"a", b"") + b"\r\n"
            yield {"Content-Type": f"{kind}; boundary=x"}, begin + tiny * (fill // len(tiny)) + end
            yield (
                {"Content-Type": f"{kind}; boundary=x"},
                begin + part % (b"name", b"") + "ﷺ".encode() * (fill // 3) + end,
            )
        else:
            yield {"Content-Type": kind}, b"\xff" * min(size, 1_000_000)


def attack(target: Target, route: Route, most: int) -> None:
    """Send all hostile bodies to a route, by somebody who may call it."""
    csrf = target.forms[Role.ADMINISTRATOR][1]
    size = min(most, route.cost.known(SETTINGS)) or 1000
    for headers, body in hostile(route, size, csrf):
        before, _ = target.used()
        _, rest = target.used()
        status = target.send(route, target.headers(route, Role.ADMINISTRATOR) | headers, body)
        after, peak = target.used()
        assert status < 500 or status == 507, (route, headers["Content-Type"][:40], body[:80], status)
        assert peak - rest <= route.cost.memory, (route.path, headers["Content-Type"][:40], body[:80], peak - rest)
        assert after - before <= route.cost.seconds, (
            route.path,
            headers["Content-Type"][:40],
            body[:80],
            after - before,
        )


ORDERED = sorted(reached(), key=lambda route: (route.cost.memory, route.path == "/logout"))


@pytest.mark.attack("collector")
def test_no_body_costs_more_than_its_row_says(target: Target) -> None:
    """Bodies that nest, have many parts, many bad items or a hostile media type, to every route."""
    for route in ORDERED:
        if route.path != "/logout" and route.method != "DELETE":
            attack(target, route, SMALL)


@pytest.mark.long
@pytest.mark.parametrize("route", [each for each in TABLE if each.cost.memory > 16], ids=lambda each: each.path)
def test_no_long_body_costs_more_than_its_row_says(target: Target, route: Route) -> None:
    """The same, as long as each route reads them."""
    attack(target, route, 64_000_000)


@pytest.mark.long
def test_no_honest_roster_costs_more_than_its_row_says(tmp_path: Path) -> None:
    """As many names as one may upload, in JSON and in a table with groups."""
    target, terms = Target(tmp_path, {"body_seconds": 60}), {"purpose": "p", "operator": "o", "contact": "c"}
    with target.collector:
        target.log_in()
        lines = "".join(f"{user:x},g{user % 9}\n" for user in range(3_900_000))[:47_900_000].rpartition("\n")[0]
        fields = terms | {"csrf": target.forms[Role.OPERATOR][1], "epsilon": "1", "id": "b", "bare": "1", "groups": "g"}
        form = "".join(f'--x\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items())
        form += '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,g\n'
        named = json.dumps({"id": "a", "roster": [f"u{user}" for user in range(3_900_000)], "epsilons": [1]} | terms)
        for path, kind, body, done in (
            ("/v1/operator/communities", JSON, named, 201),
            ("/dashboard/new", f"{UPLOAD_FORM}; boundary=x", f"{form}{lines}\r\n--x--\r\n", 303),
        ):
            route = ROUTES["POST", path]
            assert 0.7 * route.cost.known(SETTINGS) < len(body) <= route.cost.known(SETTINGS)
            before, _ = target.used()
            _, rest = target.used()
            headers = target.headers(route, Role.OPERATOR) | {"Content-Type": kind}
            assert target.send(route, headers, body.encode()) == done
            after, peak = target.used()
            assert peak - rest <= route.cost.memory, (path, peak - rest)
            assert after - before <= route.cost.seconds, (path, after - before)
    target.http.close()
    target.store.close()


@pytest.mark.long
@pytest.mark.attack("collector")
def test_no_invitations_cost_more_than_their_rows_say(target: Target) -> None:
    """Invite as many as one may, by the longest names and addresses."""
    names = [f"{place:05d}{'ﷺ' * 195}" for place in range(MOST)]
    target.store.open_community("large", names, mechanism="dprr", choices=target.cats.choices)
    server, page = (f"https://{host}.example/{'x' * 180}" for host in ("a", "b"))
    secret = f"csrf={target.forms[Role.ADMINISTRATOR][1]}&server={server}&who=slots&slots=0-{MOST - 1}"
    api, form = (
        ROUTES["POST", "/v1/operator/communities/{community}/invitations"],
        ROUTES["POST", "/dashboard/communities/{id}/invite"],
    )
    sent = [(api, JSON, json.dumps({"server": server, "page": page, "users": list(range(MOST))}).encode())]
    sent += [(form, FORM, f"{secret}&as={kind}".encode()) for kind in ("csv", "sheet", "links")]
    target.ways = {key: way._replace(address=way.address.replace("cats", "large")) for key, way in target.ways.items()}
    for route, kind, body in sent:
        before, _ = target.used()
        _, rest = target.used()
        assert target.send(route, target.headers(route, Role.ADMINISTRATOR) | {"Content-Type": kind}, body) == 200
        after, peak = target.used()
        print(route.path, kind, peak - rest, after - before)
        assert peak - rest <= route.cost.memory, (body[-10:], peak - rest)
        assert after - before <= route.cost.seconds, (body[-10:], after - before)
        long = body.replace(b"x" * 180, b"x" * 190)
        assert target.send(route, target.headers(route, Role.ADMINISTRATOR) | {"Content-Type": kind}, long) == 422


@pytest.mark.long
@pytest.mark.attack("collector")
def test_looks_at_numbers_cost_what_one_does(tmp_path: Path) -> None:
    """A viewer's key, and thirty looks at once at a community's statistics: each took the memory of all reports."""
    target, n, rng = Target(tmp_path, {}), 500, np.random.default_rng(0)
    mechanism, choices = offers([1.0], "rr", n, Split(), groups=False)
    dense = target.store.open_community("dense", [f"u{u}" for u in range(n)], mechanism=mechanism, choices=choices)
    secrets, empty = target.store.invite("dense"), np.zeros(0, np.int32)
    lists = [np.setdiff1d(np.flatnonzero(rng.random(n) < 0.3), [user]) for user in range(n)]
    reports = [wire.Report("rr", n, user, 0.0, 1.0, None, listed) for user, listed in enumerate(lists)]
    told = target.store.open_community(
        "told", [f"u{u}" for u in range(5000)], mechanism="noisy-degrees", choices=[wire.Choice("one", 1.0, 0.0)]
    )
    tokens = target.store.invite("told")
    degrees = [wire.Report("noisy-degrees", 5000, user, 1.0, 0.0, user % 90, empty) for user in range(5000)]
    for made, own, sent in ((dense, secrets, reports), (told, tokens, degrees)):
        target.store.accept([submission(made, r.user, own[r.user], wire.encode(r), r.noisy_degree) for r in sent])
    route, ways = ROUTES["GET", "/dashboard/communities/{id}"], target.ways
    with target.collector, ThreadPoolExecutor(30) as looks:
        target.log_in()
        headers = target.headers(route, Role.VIEWER)
        for id in ("told", "dense"):  # the first one loads what computes
            target.ways = {key: way._replace(address=way.address.replace("cats", id)) for key, way in ways.items()}
            before, _ = target.used()
            _, rest = target.used()
            assert target.send(route, headers) == 200
            after, peak = target.used()
            assert after - before <= route.cost.seconds
            assert peak - rest <= route.cost.memory
        _, rest = target.used()
        assert set(looks.map(lambda _: target.send(route, headers), range(30))) == {200}
        assert target.used()[1] - rest <= route.cost.memory
        page = httpx.get(f"{target.collector.url}/dashboard/communities/dense", headers=headers)
        assert "in 19 of 20 surveys" in page.text
    target.http.close()
    target.store.close()


HEADS: tuple[Headers, ...] = (
    {"Cookie": 'graphldp_session="' + "\\\\" * 30_000 + '"'},
    {"Cookie": ";graphldp_session=" * 3000},
    {"If-Modified-Since": "1 " * 30_000, "Accept": "text/html"},
    {"If-None-Match": "W/" * 30_000},
    {"Authorization": "Bearer" + " " * 60_000},
    {"X-Forwarded-For": "1," * 30_000},
    {"Origin": "http://" + "[" * 60_000},
)


@pytest.mark.attack("collector")
def test_no_head_costs_more_than_a_row_says(target: Target) -> None:
    """A cookie of 60 KB in quotes took seconds to unquote, on every page that strangers may read."""
    for route in reached():
        before, _ = target.used()
        for head in HEADS:
            assert target.send(route, head) < 500, (route, head)
        after, _ = target.used()
        assert after - before <= route.cost.seconds, (route.path, after - before)


QUERIES = ("", "nan", "inf", "1e-320", "1e308", "-1", "9" * 400, "²", "'\"<", "🐈" * 500)


@pytest.mark.attack("collector")
def test_no_query_costs_more_than_a_row_says(target: Target) -> None:
    """A plan for an ε of 1e-320 was a 500: it divided by nothing."""
    for route in reached():
        before, _ = target.used()
        for name in target.ways[route.method, route.path].queries:
            for value in QUERIES:
                status = target.send(route, target.headers(route, Role.ADMINISTRATOR), query=f"?{name}={quote(value)}")
                assert status < 500, (route, name, value)
        after, _ = target.used()
        assert after - before <= route.cost.seconds, (route.path, after - before)


@pytest.mark.attack("collector")
def test_nobody_who_may_send_does_so_for_ever(tmp_path: Path) -> None:
    """A body that stops after its first byte is answered 408 on every route that reads one."""
    target = Target(tmp_path, dict(HASTY))
    with target.collector, ExitStack() as lines:
        target.log_in()
        waiting = []
        for route in reached():
            if not route.cost.types:
                continue
            way: Way = target.ways[route.method, route.path]
            kind = {UPLOAD_FORM: f"{UPLOAD_FORM}; boundary=x"}.get(route.cost.types[0], route.cost.types[0])
            headers = target.headers(route, Role.ADMINISTRATOR) | {"Content-Type": kind, "Content-Length": "40"}
            head = f"{way.method} {way.address} HTTP/1.1\r\nHost: x\r\n"
            line = lines.enter_context(socket.create_connection(("127.0.0.1", target.collector.port), timeout=60))
            line.sendall((head + "".join(f"{k}: {v}\r\n" for k, v in headers.items()) + "\r\nx").encode())
            waiting.append((route, line))
        assert len(waiting) > 25
        for route, line in waiting:
            assert int(line.recv(100).split()[1]) == 408, route
    target.http.close()
    target.store.close()
