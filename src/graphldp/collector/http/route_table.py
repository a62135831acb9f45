"""The table of all routes: who may call each, how much of a body is read, and what a request may cost.

Whoever checks a caller or reads a body looks here; a request for a route without a row fails. What a row says of memory
and processor time holds for one request with any body, and the tests send hostile ones to every row. What the store
itself holds comes on top: a community's roster and reports, the entries of the log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from graphldp import wire
from graphldp.collector.roles import Role
from graphldp.wire import LONGEST

if TYPE_CHECKING:
    from graphldp.collector.settings import Settings

REPORT_PATH = "/v1/communities/{community}/reports/{user}"
FORM, UPLOAD_FORM, JSON = "application/x-www-form-urlencoded", "multipart/form-data", "application/json"
FORM_BYTES = 4096


class Caller(Enum):
    """A caller without a key."""

    ANYBODY = "anybody"
    AT_OPERATORS = "anybody, at the operators' address where there is one"
    MEMBER = "the holder of a slot's token"


@dataclass(frozen=True)
class RouteCost:
    """The most that a request may bring and cost.

    Args:
        types: media types of its body; none is read where there is none.
        before: the most bytes that are read before the caller is known, and for a form that it was sent from its page.
        after: the most bytes that are read from then on, all in all. A text names the setting that says so.
        memory: megabytes that one request may make the server use at most, besides what the store holds of it.
        seconds: of processor time, at most.
    """

    types: tuple[str, ...] = ()
    before: int | str = 0
    after: int | str = 0
    memory: int = 16
    seconds: float = 1.0

    def unknown(self, settings: Settings) -> int:
        """The most bytes that are read before the caller is known."""
        return self.before if isinstance(self.before, int) else int(getattr(settings, self.before))

    def known(self, settings: Settings) -> int:
        """The most bytes that are read of a caller who is known."""
        return self.after if isinstance(self.after, int) else int(getattr(settings, self.after))


@dataclass(frozen=True)
class Route:
    """A row: a route, who may call it, and its cost.

    Args:
        method: of HTTP.
        path: with the names of its parts in braces.
        caller: who may call it: a role stands for that and those above.
        cost: of one request.
        action: what the audit log calls it where somebody's role is below.
    """

    method: str
    path: str
    caller: Caller | Role
    cost: RouteCost
    action: str = ""


NOTHING = RouteCost()
LOGIN = RouteCost((FORM,), before=FORM_BYTES, after=FORM_BYTES)
FILLED_IN = RouteCost((FORM,), after=FORM_BYTES)
ESTIMATES = RouteCost(memory=150, seconds=4)  # the first ones load SciPy
CHANGE = RouteCost((FORM,), after=FORM_BYTES, memory=150, seconds=4)  # a refused one shows the community's page
MESSAGE = RouteCost((JSON,), after=64_000)
SLOTS = RouteCost((JSON,), after=300_000, memory=150, seconds=4)
ROSTER = RouteCost((JSON,), after=48_000_000, memory=1000, seconds=20)
UPLOAD = RouteCost((UPLOAD_FORM, FORM), before=FORM_BYTES, after=48_000_000, memory=1200, seconds=30)
REPORT = RouteCost((wire.MEDIA_TYPE,), before=LONGEST, after="held_bytes", memory=100)
ANSWER = RouteCost((wire.ANSWER_TYPE,), before=wire.MAX_ANSWER, after=wire.MAX_ANSWER)
BATCH = RouteCost((JSON,), before="batch_bytes", after="batch_bytes", memory=100, seconds=4)

_PAGES, _API = "/dashboard", "/v1/operator"
_SHOWN, _ONE = f"{_PAGES}/communities/{{id}}", f"{_API}/communities/{{community}}"
_STAFF, _LOG = f"{_PAGES}/operators", f"{_PAGES}/log"
_FOR_ANYBODY = ("/", "/how", "/play", "/join", "/join/{name}", "/static", "/healthz", "/readyz", "/openapi.json")
_SIGN_IN = ("/login", "/login/oidc", "/login/oidc/callback")
_FOR_VIEWERS = (*("", "/runs", "/classes", "/new", "/jobs", "/communities/{id}/delete", "/communities/{id}/invite"),)
_READ_BY_PROGRAMS = (
    *("/communities", "/communities/{community}", "/communities/{community}/arrivals"),
    *("/classes", "/jobs", "/jobs/{job}"),
)

TABLE: tuple[Route, ...] = (
    *(Route("GET", path, Caller.ANYBODY, NOTHING) for path in _FOR_ANYBODY),
    *(Route("GET", path, Caller.AT_OPERATORS, NOTHING) for path in ("/metrics", *_SIGN_IN)),
    Route("POST", "/login", Caller.AT_OPERATORS, LOGIN),
    Route("POST", "/v1/reports:batch", Caller.ANYBODY, BATCH),
    Route("PUT", REPORT_PATH, Caller.MEMBER, REPORT),
    Route("DELETE", REPORT_PATH, Caller.MEMBER, NOTHING),
    Route("PUT", "/v1/communities/{community}/answers/{user}", Caller.MEMBER, ANSWER),
    Route("GET", "/v1/communities/{community}", Caller.MEMBER, NOTHING),
    Route("GET", "/v1/communities/{community}/question", Caller.MEMBER, NOTHING),
    *(Route("GET", f"{_PAGES}{path}", Role.VIEWER, NOTHING) for path in _FOR_VIEWERS),
    *(Route("GET", path, Role.VIEWER, ESTIMATES) for path in (_SHOWN, f"{_PAGES}/plan")),
    *(Route("GET", f"{_API}{path}", Role.VIEWER, NOTHING) for path in _READ_BY_PROGRAMS),
    Route("POST", "/logout", Role.VIEWER, FILLED_IN),
    Route("POST", f"{_PAGES}/new", Role.OPERATOR, UPLOAD, "community.create"),
    Route("POST", f"{_PAGES}/classes/{{number}}", Role.OPERATOR, FILLED_IN, "class.name"),
    *(
        Route("POST", f"{_SHOWN}/{name}", Role.OPERATOR, CHANGE, f"community.{name}")
        for name in ("ask", "close", "renew", "rename", "label", "trust", "delete", "invite")
    ),
    Route("GET", f"{_SHOWN}/export", Role.OPERATOR, ESTIMATES, "reports.export"),
    Route("POST", f"{_PAGES}/jobs/train", Role.OPERATOR, FILLED_IN, "job.start"),
    Route("POST", f"{_PAGES}/jobs/label", Role.OPERATOR, FILLED_IN, "job.start"),
    Route("POST", f"{_PAGES}/jobs/{{job}}/stop", Role.OPERATOR, FILLED_IN, "job.stop"),
    Route("GET", _STAFF, Role.ADMINISTRATOR, NOTHING, "operator.list"),
    Route("GET", f"{_STAFF}/remove", Role.ADMINISTRATOR, NOTHING, "operator.list"),
    Route("POST", _STAFF, Role.ADMINISTRATOR, FILLED_IN, "operator.add"),
    *(
        Route("POST", f"{_STAFF}/{name}", Role.ADMINISTRATOR, FILLED_IN, f"operator.{name}")
        for name in ("role", "remove", "allow", "disallow", "rotate")
    ),
    Route("GET", _LOG, Role.ADMINISTRATOR, NOTHING, "log.read"),
    Route("POST", f"{_LOG}/verify", Role.ADMINISTRATOR, FILLED_IN, "log.verify"),
    Route("GET", f"{_LOG}/download", Role.ADMINISTRATOR, NOTHING, "log.download"),
    Route("POST", f"{_API}/communities", Role.OPERATOR, ROSTER, "community.create"),
    Route("PATCH", _ONE, Role.OPERATOR, MESSAGE, "community.rename"),
    Route("DELETE", _ONE, Role.OPERATOR, NOTHING, "community.delete"),
    *(
        Route("POST", f"{_ONE}/{name}", Role.OPERATOR, NOTHING, f"community.{name}")
        for name in ("ask", "close", "renew")
    ),
    Route("POST", f"{_ONE}/invitations", Role.OPERATOR, SLOTS, "community.invite"),
    Route("GET", f"{_ONE}/export", Role.OPERATOR, NOTHING, "reports.export"),
    Route("DELETE", f"{_ONE}/reports/{{user}}", Role.OPERATOR, NOTHING, "reports.delete"),
    Route("PUT", f"{_API}/classes/{{number}}", Role.OPERATOR, MESSAGE, "class.name"),
    Route("POST", f"{_API}/jobs", Role.OPERATOR, MESSAGE, "job.start"),
    Route("POST", f"{_API}/jobs/{{job}}/stop", Role.OPERATOR, NOTHING, "job.stop"),
    Route("GET", f"{_API}/operators", Role.ADMINISTRATOR, NOTHING, "operator.list"),
    Route("POST", f"{_API}/operators", Role.ADMINISTRATOR, MESSAGE, "operator.add"),
    Route("PATCH", f"{_API}/operators/{{name:path}}", Role.ADMINISTRATOR, MESSAGE, "operator.role"),
    Route("DELETE", f"{_API}/operators/{{name:path}}", Role.ADMINISTRATOR, NOTHING, "operator.remove"),
    Route("POST", f"{_API}/keys/{{name:path}}", Role.ADMINISTRATOR, MESSAGE, "operator.rotate"),
    Route("PUT", f"{_API}/sign-ins", Role.ADMINISTRATOR, MESSAGE, "operator.allow"),
    Route("DELETE", f"{_API}/sign-ins/{{kind}}/{{value:path}}", Role.ADMINISTRATOR, NOTHING, "operator.disallow"),
    Route("GET", f"{_API}/log", Role.ADMINISTRATOR, NOTHING, "log.read"),
    Route("GET", f"{_API}/log/verify", Role.ADMINISTRATOR, NOTHING, "log.verify"),
    Route("GET", f"{_API}/log/download", Role.ADMINISTRATOR, NOTHING, "log.download"),
)
ROUTES = {(each.method, each.path): each for each in TABLE}


def route_of(scope: Any) -> Route:
    """The row of a request that was routed."""
    return ROUTES[scope["method"], scope["route"].path]


def _members_paths() -> re.Pattern[str]:
    """The paths that members need, or anybody, wherever operators are."""
    open_to = [each.path for each in TABLE if each.caller in (Caller.ANYBODY, Caller.MEMBER)]
    return re.compile("|".join(re.sub(r"\\{.*?\\}", "[^/]+", re.escape(path)) for path in open_to) + "|/static/.*")


MEMBERS_PATHS = _members_paths()
