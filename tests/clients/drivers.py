"""Both clients, driven in the same way: the Python client in this process, the browser's in Node."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.clients.adversary import FRIENDS, Seen

from graphldp.audit.protocol import ROSTER
from graphldp.client import protocol
from graphldp.client.keeping import vault
from graphldp.client.protocol import Client
from graphldp.client.questions import Consent
from graphldp.client.sampling import hubs, sampler
from graphldp.errors import GraphLDPError
from graphldp.wire import Invitation

ONE = 10**6
TRIES = (0.0,) * 5  # as many as the browser makes
CHOICE = "standard"


class StoppedError(Exception):
    """The device was stopped: nothing of its program runs on."""


class PythonDevice:
    """A device with the Python client, whose clock is the test's."""

    def __init__(self, folder: Path, invitation: Invitation, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.invitation, self.now, self.slow, self.shown = folder, invitation, 100.25, 0.0, ""
        self.stop, self.keep = 0, vault.keep
        folder.mkdir(exist_ok=True)
        self.client = Client(folder / "home", tick=1.0, pauses=TRIES, timeout=60.0)
        for room in (sampler, hubs):
            patch.setattr(room, "draw", self._slowly(room.draw))
        patch.setattr(vault, "keep", self._kept)
        patch.setattr(protocol, "time", SimpleNamespace(monotonic=lambda: self.now, sleep=self._sleep))

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    def _slowly(self, draw: Any) -> Any:
        def drawn(*arguments: Any, **options: Any) -> Any:
            self.now += self.slow
            return draw(*arguments, **options)

        return drawn

    def _kept(self, path: Path, value: Any) -> None:
        self.keep(path, value)
        if path.name.startswith("report-"):
            self.stop -= 1
            if self.stop == 0:
                raise StoppedError

    def _agreed(self, question: Consent) -> bool:
        self.shown += "\n".join(question.in_words())
        return True

    def act(self, name: str, friends: Sequence[int] = FRIENDS, slow: float = 0.0, stop: int = 0) -> Seen:
        """Do something, as the command line would."""
        file = self.folder / "friends.txt"
        file.write_text("\n".join(ROSTER[number] for number in friends))
        began, self.slow, self.stop, self.shown, receipt = self.now, slow, stop, "", False
        try:
            match name:
                case "open":
                    self.client.join(self.invitation, accept=ONE)
                case "report" | "new round":
                    drawn = self.client.report(
                        "audit", friends_file=file, new_epoch=name == "new round", approve=self._agreed
                    )
                    receipt = drawn.acknowledged
                case "send":
                    receipt = self.client.report("audit").acknowledged
                case _:
                    getattr(self.client, name)("audit")
        except (GraphLDPError, StoppedError):
            refused = True
        else:
            refused = False
        records = [vault.kept(path) for path in self.client.home.glob("memberships/*/report-*.json")]
        ledger, _ = self.client.status()  # which would drop what the act has left
        kept = {
            "body" if key == "report" else key
            for each in records
            for key, value in each.items()
            if value not in (None, [])
        }
        entries = ledger.to_json()["entries"]
        return Seen(refused, self.shown, receipt, self.now - began, ledger.spent, entries, frozenset(kept))


class BrowserDevice:
    """A device with the browser's client, in a process that runs many, one after the other."""

    def __init__(self, process: subprocess.Popen[str], link: str, entropy: int | None = None) -> None:
        self.process, self.link = process, link
        server, _, token = link.partition("/join#")
        self.where = {"server": server, "community": token.partition("/")[2], "terms": ""}
        self._asked({"entropy": entropy})

    def _asked(self, message: dict[str, Any]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the browser's client ended"
        return json.loads(line)

    def call(self, method: str, *values: Any, tab: int = 0, slow: float = 0.0, stop: int = 0) -> dict[str, Any]:
        """What a page calls: a value or a trouble, and after how many milliseconds a report left."""
        given = {"call": method, "values": values, "tab": tab, "slow": 1000 * slow, "stop": stop}
        answer: dict[str, Any] = self._asked(given)
        return answer

    def terms(self) -> dict[str, Any]:
        """The community as it is shown now."""
        standings = self.call("status")["value"]["standings"]
        return standings[0]["community"] if standings else self.where

    def report(self, names: Sequence[str], slow: float = 0.0, stop: int = 0) -> dict[str, Any]:
        """From a file of hers to the report."""
        matched: dict[str, Any] = self._asked({"file": "\n".join(names), "where": self.where})
        if "trouble" in matched:
            return matched
        return self.call("report", self.terms(), CHOICE, matched["value"]["numbers"], slow=slow, stop=stop)

    def act(self, name: str, friends: Sequence[int] = FRIENDS, slow: float = 0.0, stop: int = 0) -> Seen:
        """Do something, as the page would."""
        shown = ""
        if name == "new round":
            renewal = self.call("look", self.where).get("value", {}).get("renewal")
            shown = json.dumps(renewal, ensure_ascii=False)
            told = self.call("renew", renewal["community"] if renewal else self.where)
        if name == "open":
            told = self.call("open", self.link)
        elif name == "report" or (name == "new round" and "value" in told):
            told = self.report([ROSTER[number] for number in friends], slow, stop)
        elif name != "new round":
            told = self.call(name, self.where, stop=stop)
        status = self.call("status")["value"]
        views = [told.get("value"), *status["standings"]]
        receipt = any(isinstance(each, dict) and each.get("receipt") for each in views)
        waited = None if told["waited"] is None else round(told["waited"] / 1000, 6)
        kept = frozenset(self._asked({"kept": True}))
        return Seen("trouble" in told, shown, receipt, waited, round(status["spent"] * ONE), status["entries"], kept)


@contextmanager
def browser_process(web: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The browser's client as a program for Node, see ``clients/web/tests/member.ts``."""
    build = ["node_modules/.bin/vite", "build", "--ssr", "tests/member.ts", "--outDir", str(folder)]
    subprocess.run([*build, "--emptyOutDir", "--logLevel", "warn"], cwd=web, check=True, capture_output=True)
    command = ["node", "--max-old-space-size=700", str(folder / "member.js")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
