"""Messages of operators' programs, as JSON. The description has their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from graphldp.collector.actions.inviting import LONGEST_ADDRESS, MOST
from graphldp.collector.community import Community, enough
from graphldp.collector.storage.community_list import ListedCommunity
from graphldp.collector.storage.operating.results import Prediction
from graphldp.wire.community import MAX_RETENTION
from graphldp.wire.terms import LONGEST_TEXTS

Whole = Annotated[int, Field(ge=0, lt=1 << 31, strict=True)]
NO_CONTROL = r"^[^\x00-\x1f\x7f]*$"
"""What every text is: a database keeps no NUL, and nobody types the others."""
Text = Annotated[str, Field(max_length=200, pattern=NO_CONTROL)]
Name = Annotated[str, Field(pattern=NO_CONTROL)]


_AS_IT_IS = (
    *("id", "epoch", "mechanism", "label", "trusted", "opened_at", "closed_at", "roster_digest", "retention_days"),
    *("keeps_models", "version"),
)
_COUNTS = ("invited", "reported", "deleted", "flagged")


class Message(BaseModel):
    """A body, with no fields but its own."""

    model_config = ConfigDict(extra="forbid")


class NewBody(Message):
    """A community to open."""

    id: Annotated[str, Field(pattern="^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]
    roster: Annotated[list[Name], Field(min_length=2, fail_fast=True)]
    epsilons: Annotated[list[Annotated[float, Field(gt=0, le=16)]], Field(min_length=1, max_length=20, fail_fast=True)]
    groups: Annotated[list[Name], Field(fail_fast=True)] | None = None
    witnesses: bool = False
    mechanism: Text | None = None
    public: bool = False
    name: Text | None = None
    purpose: Annotated[str, Field(max_length=LONGEST_TEXTS["purpose"], pattern=NO_CONTROL)] | None = None
    operator: Text | None = None
    contact: Text | None = None
    label: Text | None = None
    allocation: Literal["paper", "fixed", "utility"] | None = None
    alpha: Annotated[float, Field(gt=0, lt=1)] | None = None
    n_max: Annotated[int, Field(ge=2, lt=1 << 31)] | None = None
    retention_days: Annotated[int, Field(ge=1, le=MAX_RETENTION)] | None = None
    keeps_models: bool = True


class ChangeBody(Message):
    """A change of the name, the label, or whether it is trusted. A label of null removes it."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})
    name: Text = ""
    label: Text | None = None
    trusted: bool = False

    @model_validator(mode="after")
    def _something(self) -> Self:
        """A change of nothing is a mistake, and no way to ask what a viewer may."""
        if not self.model_fields_set:
            raise ValueError("nothing is to be another")
        return self


class InviteBody(Message):
    """Users to invite: everybody who has no invitation, or some slots anew."""

    server: Annotated[str, Field(max_length=LONGEST_ADDRESS, pattern=NO_CONTROL)]
    users: Annotated[list[Whole], Field(min_length=1, max_length=MOST, fail_fast=True)] | None = None
    page: Annotated[str, Field(max_length=LONGEST_ADDRESS, pattern=NO_CONTROL)] | None = None
    days: Annotated[float, Field(gt=0, le=3650)] | None = None


class PredictedBody(Message):
    """The label that a model gave."""

    label: int
    class_name: str | None
    confidence: float
    reported: int
    certified: int | None
    model: str

    @staticmethod
    def of(given: Prediction | None, classes: Mapping[int, str], min_reports: int) -> PredictedBody | None:
        """The label, where enough had reported."""
        if given is None or not enough(given.reported, min_reports):
            return None
        about = {name: getattr(given, name) for name in ("label", "confidence", "reported", "certified", "model")}
        return PredictedBody(class_name=classes.get(given.label), **about)


class CommunityBody(Message):
    """A community, and how far it is. Its version is also the answer's ETag."""

    id: str
    name: str
    members_see: str
    purpose: str | None
    operator: str | None
    contact: str | None
    epoch: int
    open: bool
    users: int
    mechanism: str
    witnesses: bool
    invited: int
    reported: int
    deleted: int
    flagged: int
    label: int | None
    class_name: str | None
    trusted: bool
    predicted: PredictedBody | None
    opened_at: datetime | None
    closed_at: datetime | None
    roster_digest: str
    retention_days: int | None
    keeps_models: bool
    version: str

    @staticmethod
    def of(listed: ListedCommunity, classes: Mapping[int, str], min_reports: int) -> CommunityBody:
        """A community of a list."""
        each: Community = listed.community
        same: dict[str, Any] = dict.fromkeys(LONGEST_TEXTS) | (each.inquiry.to_json() if each.inquiry else {})
        same |= {name: getattr(each, name) for name in _AS_IT_IS} | {name: getattr(listed, name) for name in _COUNTS}
        return CommunityBody(
            name=each.called,
            members_see=each.name,
            open=each.closed_at is None,
            users=each.n,
            witnesses=each.dealt,
            class_name=None if each.label is None else classes.get(each.label),
            predicted=PredictedBody.of(listed.prediction, classes, min_reports),
            **same,
        )


class ListBody(Message):
    """A page of communities."""

    communities: list[CommunityBody]
    found: int
    users: int
    page: int
    pages: int


class InvitationBody(Message):
    """One user's invitation, which is secret."""

    user: int
    name: str
    link: str
    token: str


class InvitationsBody(Message):
    """Invitations that are valid from now on."""

    invitations: list[InvitationBody]


class ArrivalsBody(Message):
    """Reports by the day on which they came in; days without any are left out."""

    arrivals: dict[str, int]


class ClassBody(Message):
    """A class: its number, which classifiers learn, its name, and how many communities have it as their label."""

    number: int
    name: str | None
    communities: int


class ClassesBody(Message):
    """All classes."""

    classes: list[ClassBody]


class NameBody(Message):
    """A new name."""

    name: Text


class DeletedBody(Message):
    """Counts of what went with a community, or the epochs whose report went."""

    deleted: dict[str, int] | list[int]
