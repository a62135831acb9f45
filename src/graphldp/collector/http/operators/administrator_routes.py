"""Routes for administrators' programs: who may do what, and the log of who did what."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response
from pydantic import Field

from graphldp.collector.actions import administration as operators
from graphldp.collector.actions import log_reading as audit_log
from graphldp.collector.actions.log_reading import entry_values
from graphldp.collector.http.operators.downloads import log_response
from graphldp.collector.http.operators.messages import NO_CONTROL, Message
from graphldp.collector.http.operators.operator_requests import OperatorRequests, described
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.operating.audit_log import LogSearch
from graphldp.errors import ParameterError

_AT, _SIGN_INS, _LOG = "/v1/operator/operators", "/v1/operator/sign-ins", "/v1/operator/log"
Title = Literal["viewer", "operator", "administrator"]
KindOfPerson = Literal["subject", "email", "group"]
Days = Annotated[float, Field(gt=0, le=3650)]
OperatorName = Annotated[str, Path(max_length=64, pattern=NO_CONTROL, description="The operator's name.")]
Part = Annotated[str, Query(max_length=200, pattern=NO_CONTROL)]


class OperatorBody(Message):
    """Somebody with a key. The key itself is nowhere; ``last_action`` is from the newest entries of the log."""

    name: str
    role: Title
    expires_at: datetime | None
    expired: bool
    last_action: datetime | None


class SignInBody(Message):
    """A rule: who may sign in by the provider, with which role."""

    kind: KindOfPerson
    value: Annotated[str, Field(min_length=1, max_length=320, pattern=NO_CONTROL)]
    role: Title = "operator"


class StaffBody(Message):
    """All operators, and the rules of signing in."""

    operators: list[OperatorBody]
    sign_ins: list[SignInBody]


class NewOperatorBody(Message):
    """An operator to add. Her key stops working after so many days; without them it has no end."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=NO_CONTROL)]
    role: Title = "operator"
    days: Days | None = None


class RoleBody(Message):
    """A new role for an operator."""

    role: Title


class RotateBody(Message):
    """After how many days the new key stops working; null for no end."""

    days: Days | None = None


class KeyBody(Message):
    """An operator's key, which is told once."""

    name: str
    key: str


class EntryBody(Message):
    """An entry of the log. Its digest covers it and all before it."""

    number: int
    at: str
    actor: str
    role: str
    way: str
    action: str
    about: str | None
    outcome: str
    digest: str


class LogBody(Message):
    """Some entries, the newest first. ``older`` is the ``before`` of the next page, or null."""

    entries: list[EntryBody]
    older: int | None


class VerifiedBody(Message):
    """A check of the log: how many entries it has, its head, and what is wrong, or null."""

    entries: int
    head: str
    problem: str | None


def make_router(requests: OperatorRequests) -> APIRouter:
    """The routes."""
    router = APIRouter(tags=["administrators"])
    _add_people(router, requests)
    _add_log(router, requests)
    return router


def _add_people(router: APIRouter, requests: OperatorRequests) -> None:
    store = requests.store

    def staff(actor: Actor) -> StaffBody:
        return _staff(operators.staff(store, actor))

    @router.get(_AT, response_model=StaffBody, **described())
    async def list_operators(request: Request) -> StaffBody:
        """Who has a key, and who may sign in by the provider."""
        return await requests.act(request, staff)

    @router.post(_AT, status_code=201, response_model=KeyBody, **described(409, body=NewOperatorBody))
    async def add_operator(request: Request) -> KeyBody:
        """Add an operator. Her key is told once; the collector keeps its hash."""

        def add(actor: Actor, given: NewOperatorBody) -> KeyBody:
            key = operators.add(store, actor, given.name, Role.named(given.role), given.days)
            return KeyBody(name=given.name, key=key)

        return await requests.act_on(request, NewOperatorBody, add)

    @router.patch(f"{_AT}/{{name:path}}", response_model=StaffBody, **described(409, body=RoleBody))
    async def set_role(request: Request, name: OperatorName) -> StaffBody:
        """Let an operator do more or less, from her next request on. Nobody changes her own role."""

        def change(actor: Actor, given: RoleBody) -> StaffBody:
            operators.set_role(store, actor, name, Role.named(given.role))
            return staff(actor)

        return await requests.act_on(request, RoleBody, change)

    @router.delete(f"{_AT}/{{name:path}}", response_model=StaffBody, **described(409))
    async def remove_operator(request: Request, name: OperatorName) -> StaffBody:
        """End an operator's access, at once and everywhere. Nobody removes herself."""

        def remove(actor: Actor) -> StaffBody:
            operators.remove(store, actor, name)
            return staff(actor)

        return await requests.act(request, remove)

    @router.post("/v1/operator/keys/{name:path}", response_model=KeyBody, **described(409, body=RotateBody))
    async def rotate_key(request: Request, name: OperatorName) -> KeyBody:
        """Give an operator a new key, which is told once. The old one and her sessions end."""

        def rotate(actor: Actor, given: RotateBody) -> KeyBody:
            return KeyBody(name=name, key=operators.rotate(store, actor, name, given.days))

        return await requests.act_on(request, RotateBody, rotate)

    @router.put(_SIGN_INS, response_model=StaffBody, **described(409, body=SignInBody))
    async def allow(request: Request) -> StaffBody:
        """Let a subject, an e-mail address or a group sign in by the provider, with a role."""

        def add(actor: Actor, given: SignInBody) -> StaffBody:
            operators.allow(store, actor, given.value, given.kind, Role.named(given.role))
            return staff(actor)

        return await requests.act_on(request, SignInBody, add)

    @router.delete(f"{_SIGN_INS}/{{kind}}/{{value:path}}", response_model=StaffBody, **described(409))
    async def disallow(
        request: Request,
        kind: Annotated[KindOfPerson, Path(description="What the list names them by.")],
        value: Annotated[str, Path(max_length=320, pattern=NO_CONTROL, description="Which one.")],
    ) -> StaffBody:
        """Take somebody off the list. Their sessions end with their next request."""

        def take_off(actor: Actor) -> StaffBody:
            operators.disallow(store, actor, value, kind)
            return staff(actor)

        return await requests.act(request, take_off)


def _add_log(router: APIRouter, requests: OperatorRequests) -> None:
    store = requests.store

    @router.get(_LOG, response_model=LogBody, **described())
    async def read_log(
        request: Request,
        actor: Annotated[Part, Query(description="A part of the name of who acted.")] = "",
        action: Annotated[Part, Query(description="A part of what was done, such as community.close.")] = "",
        about: Annotated[Part, Query(description="A part of the community's id or the operator's name.")] = "",
        before: Annotated[int | None, Query(ge=1, lt=1 << 31, description="Only entries with a lower number.")] = None,
    ) -> LogBody:
        """Who did what: a hundred entries at a time, the newest first."""

        def look(who: Actor) -> LogBody:
            try:
                wanted = LogSearch(actor, action, about, before)
            except ParameterError:  # no entry has what is not printable
                return LogBody(entries=[], older=None)
            found = audit_log.read_log(store, who, wanted)
            return LogBody(entries=[EntryBody(**entry_values(each)) for each in found.entries], older=found.older)

        return await requests.act(request, look)

    @router.get(f"{_LOG}/verify", response_model=VerifiedBody, **described(409))
    async def verify(
        request: Request,
        head: Annotated[
            str, Query(max_length=80, pattern=NO_CONTROL, description="A head that you kept; the log has to hold it.")
        ] = "",
    ) -> VerifiedBody:
        """Check every entry's digest."""
        found = await requests.act(request, lambda who: audit_log.verify(store, who, head or None))
        return VerifiedBody(entries=found.entries, head=found.head, problem=found.problem)

    texts: dict[str, Any] = {"application/json": {"schema": {"type": "array"}}, "text/csv": {}}

    @router.get(f"{_LOG}/download", response_class=Response, **described(content=texts))
    async def download(
        request: Request,
        format: Annotated[Literal["json", "csv"], Query(description="A list of entries, or a table.")] = "json",
    ) -> Response:
        """All of the log as a file."""
        return await requests.act(request, lambda who: log_response(store, who, format))


def _staff(found: operators.Staff) -> StaffBody:
    holders = [
        vars(each)
        | {"role": each.role.title, "expired": each.name in found.expired, "last_action": found.last.get(each.name)}
        for each in found.holders
    ]
    rules = [{"kind": kind, "value": value, "role": role.title} for kind, value, role in found.rules]
    return StaffBody.model_validate({"operators": holders, "sign_ins": rules})
