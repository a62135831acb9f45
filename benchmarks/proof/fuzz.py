"""Random requests to every route of the table: no answer is a failure of the server."""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
from collections import Counter
from typing import Any
from urllib.parse import quote

import httpx
from benchmarks.proof.setting import Finding, Scale, databases
from benchmarks.proof.traffic import written
from benchmarks.services import Collector

from graphldp import wire
from graphldp.collector.http.route_table import FORM, JSON, TABLE, UPLOAD_FORM, Route
from graphldp.collector.roles import Role
from graphldp.collector.storage.store import Store

AT_A_TIME = 8
WORDS = [
    "",
    "0",
    "1",
    "-1",
    "cats",
    "2147483648",
    "1e308",
    "1e400",
    "1e-320",
    "nan",
    "\0",
    "\x1f",
    "\x85",
    "ﷺ",
    "a" * 300,
    "%",
    "'",
    "🐈",
    "email",
]
FIELDS = (
    *("id", "roster", "epsilons", "groups", "name", "label", "users", "server", "days", "role", "value", "kind", "run"),
    *("reports", "community", "user", "epoch", "token", "report", "answer", "sealed", "csrf", "file", "names", "seen"),
)
NUMBERS = (None, True, 0, -1, 1, 2**31, 2**63, 1.5, 1e308, 1e-320, math.nan)
QUERIES = (
    *("epoch", "search", "state", "sort", "page", "format", "users", "groups", "epsilon", "name", "actor", "action"),
    *("about", "before", "head", "lang", "code"),
)
KINDS = (JSON, FORM, f"{UPLOAD_FORM}; boundary=x", wire.MEDIA_TYPE, wire.ANSWER_TYPE, "text/plain")


class Chance:
    """Requests drawn from a seed.

    Args:
        secrets: values of the Authorization and of the Cookie header.
        csrf: what a form carries.
    """

    def __init__(self, seed: int, secrets: list[dict[str, str]], csrf: str) -> None:
        self.draw, self.secrets, self.csrf = random.Random(seed), secrets, csrf

    def request(self) -> bytes:
        """One request, as bytes."""
        route = self.draw.choice(TABLE)
        path = re.sub(r"\{[^}]*\}", lambda _: quote(self.word(), safe=""), route.path) or "/"
        if self.draw.random() < 0.3:
            path += f"?{self.draw.choice(QUERIES)}={quote(self.word())}"
        kind, body = self.body(route)
        headers = {"Content-Type": kind, "Connection": "close"}
        headers["X-Forwarded-For"] = f"10.0.0.{self.draw.randrange(256)}"  # or most logins would meet a limit
        headers |= self.draw.choice(self.secrets)
        if self.draw.random() < 0.1:
            headers["If-Match"] = quote(self.word())
        if self.draw.random() < 0.1:
            headers["Range"] = f"bytes={quote(self.word())}"
        method = route.method if self.draw.random() < 0.95 else self.draw.choice(("GET", "POST", "PUT", "DELETE"))
        return written(method, path, headers, body)

    def word(self) -> str:
        """A text that somebody may have put there."""
        return self.draw.choice(WORDS) if self.draw.random() < 0.7 else chr(self.draw.randrange(1, 0xD800)) * 3

    def value(self, depth: int = 0) -> Any:
        """A value in JSON."""
        pick = self.draw.random()
        if depth < 3 and pick < 0.25:
            return [self.value(depth + 1) for _ in range(self.draw.randrange(4))]
        if depth < 3 and pick < 0.4:
            return {self.draw.choice(FIELDS): self.value(depth + 1) for _ in range(self.draw.randrange(5))}
        return self.draw.choice(NUMBERS) if pick < 0.6 else self.word()

    def body(self, route: Route) -> tuple[str, bytes]:
        """A media type and a body, mostly of the route's own."""
        own = [kind for kind in KINDS if kind.startswith(route.cost.types)] if route.cost.types else [*KINDS]
        kind = self.draw.choice(own if self.draw.random() < 0.9 else KINDS)
        # no form that starts a job: a training is a process of its own
        csrf = "x" if "/jobs/" in route.path or route.path == "/logout" else self.csrf
        fields = [("csrf", csrf), *((self.draw.choice(FIELDS), self.word()) for _ in range(self.draw.randrange(6)))]
        if kind == JSON:
            body = json.dumps({self.draw.choice(FIELDS): self.value() for _ in range(self.draw.randrange(6))}).encode()
        elif kind == FORM:
            body = "&".join(f"{name}={quote(value)}" for name, value in fields).encode()
        elif kind.startswith(UPLOAD_FORM):
            head = '--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
            parts = (head % (name, '; filename="a.csv"' * (name == "file"), value) for name, value in fields)
            body = "".join(parts).encode() + b"--x--\r\n"
        else:
            body = self.draw.randbytes(self.draw.randrange(80))
        if self.draw.random() < 0.1 and body:
            at = self.draw.randrange(len(body))
            body = body[:at] + self.draw.randbytes(3) + body[at + 1 :]
        return kind, body


async def _send(port: int, chance: Chance, count: int) -> tuple[Counter[str], list[bytes]]:
    statuses, failed, left = Counter[str](), list[bytes](), iter(range(count))

    async def one() -> None:
        for _ in left:
            request = chance.request()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            status = (await asyncio.wait_for(reader.read(13), 60))[9:12].decode()
            writer.transport.abort()
            statuses[status] += 1
            if not "100" <= status < "500":
                failed.append(request[:200])

    await asyncio.gather(*(one() for _ in range(AT_A_TIME)))
    return statuses, failed


def prove(scale: Scale, kind: str) -> Finding:
    """So many requests of a stranger, a member and an administrator, mixed."""
    finding, count = Finding(f"fuzz, {kind}"), 30_000 if scale.full else 2_000
    with databases(kind) as (database, _):
        store = Store.open(database)
        store.open_community("cats", ["ann", "bob", "cat"], mechanism="dprr", choices=[wire.Choice("one", 0.1, 0.9)])
        token, key = store.invite("cats")[0], store.operators.add("alice", Role.ADMINISTRATOR)
        with Collector(database, {"body_seconds": 5}) as collector:
            cookie = httpx.post(f"{collector.url}/login", data={"key": key}).cookies["graphldp_session"]
            session = store.operators.session(cookie)
            assert session is not None
            secrets = [{}, {"Authorization": f"Bearer {token}"}, {"Cookie": f"graphldp_session={cookie}"}]
            secrets += [{"Authorization": f"Bearer 9999999999{token[1:]}"}]
            secrets += [{"Authorization": f"Bearer {key}"}] * 2
            statuses, failed = asyncio.run(_send(collector.port, Chance(1, secrets, session.csrf), count))
            finding.facts["no answer is a failure of the server"] = not failed
            finding.facts["every request was answered"] = statuses.total() == count
            finding.facts["it failed nowhere"] = "Traceback" not in collector.output()
        store.close()
    finding.numbers |= {"answers": dict(sorted(statuses.items()))} | ({"failed": failed[:5]} if failed else {})
    return finding
