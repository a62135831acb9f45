"""A member's browser: the real page from a real collector, with what a test has to reach in its worker.

The page has no hooks. A test puts a prelude before the worker's script, once the page has compared its digest: it can
count what the worker writes and sends and stop it there, let the draw take so many milliseconds longer, give it other
entropy, and let its pauses pass a thousand times as fast.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import BrowserContext, Page, Request

# The worker: "step" counts the writes that begin and end and the requests that leave and are answered; at "stop" it
# says so and does nothing more, until the page ends it as it would end any worker: in the middle.
PRELUDE = """
let {stop, entropy, slow} = SETTINGS;
let step = 0;
const tick = () => {
  step += 1;
  if (step === stop) { postMessage({id: -1, value: "stopped"}); for (;;); }
};
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (...values) {
  tick();
  this.transaction.addEventListener("complete", tick);
  return put.apply(this, values);
};
const send = self.fetch;
self.fetch = async (...values) => { tick(); const answer = await send(...values); tick(); return answer; };
const wait = self.setTimeout;
self.setTimeout = (work, pause) => wait(work, pause / 1000);
Date.now = () => 0; // a clock that is wrong
const random = crypto.getRandomValues.bind(crypto);
crypto.getRandomValues = (array) => {
  for (const begun = performance.now(); performance.now() < begun + slow; );
  slow = 0;
  return entropy === null ? random(array) : array.fill(entropy);
};
"""
# The page: a test talks to the worker as the page does.
PAGE = """
const calls = new Map();
let started;
const worker = new Promise((resolve) => { started = resolve; });
window.call = async (method, given) => {
  const running = await worker;
  return new Promise((done) => {
    calls.set(calls.size + 1000, done);
    running.postMessage({id: calls.size + 999, method, values: given});
  });
};
const address = URL.createObjectURL.bind(URL);
URL.createObjectURL = (blob) => address(blob.type === "text/javascript" ? new Blob([PRELUDE, blob], blob) : blob);
window.Worker = class extends Worker {
  constructor(...values) {
    super(...values);
    started(this);
    this.addEventListener("message", ({data}) => {
      if (data.id === -1) { this.terminate(); for (const done of calls.values()) done({stopped: true}); }
      else calls.get(data.id)?.(data);
    });
  }
};
"""


@dataclass
class Member:
    """One member's browser profile, and all that left it."""

    context: BrowserContext
    link: str
    stop: int = 0
    entropy: int | None = None
    slow: int = 0

    def __post_init__(self) -> None:
        self.requests: list[Request] = []
        self.context.on("request", lambda request: self.requests.append(request))

    @property
    def where(self) -> dict[str, str]:
        """Server and community, as the page names them."""
        return {"server": self.link.split("/join#")[0], "community": self.link.split("/")[-1]}

    @property
    def bodies(self) -> list[bytes]:
        """All reports and answers that left."""
        return [request.post_data_buffer or b"" for request in self.requests if request.method == "PUT"]

    def opened(self) -> Page:
        """A new tab, with the link."""
        page = self.context.new_page()
        page.set_default_timeout(60_000)
        settings = json.dumps({"stop": self.stop, "entropy": self.entropy, "slow": self.slow})
        prelude = "{" + PRELUDE.replace("SETTINGS", settings) + "}"
        page.add_init_script("{" + PAGE.replace("PRELUDE", json.dumps(prelude)) + "}")
        page.goto(self.link)
        call(page, "status")  # which waits for what the link asked for
        return page

    def shown(self, page: Page) -> dict[str, Any]:
        """Her community with its terms, as the page shows it now."""
        standings = call(page, "status")["value"]["standings"]
        found = [each["community"] for each in standings if each["community"]["community"] == self.where["community"]]
        return next(iter(found), self.where | {"terms": ""})

    def report(self, page: Page, friends: Sequence[int], choice: str = "standard") -> dict[str, Any]:
        """Draw and send, as the page asks for it."""
        return call(page, "report", self.shown(page), choice, list(friends))


def call(page: Page, method: str, *values: Any) -> dict[str, Any]:
    """What the worker answers: a value, or a trouble, or that it was stopped."""
    answer: dict[str, Any] = page.evaluate("([method, values]) => call(method, values)", [method, list(values)])
    return answer
