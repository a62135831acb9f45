"""Actions on communities: open, rename, label, close, renew, ask and delete them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphldp.collector.community import (
    MIN_REPORTS,
    Community,
    check_community,
    check_inquiry,
    check_pairs,
    check_roster,
    number_groups,
)
from graphldp.collector.offers import PUBLIC, Split, offers
from graphldp.collector.roles import Actor, Role, acting
from graphldp.collector.rosters import Roster
from graphldp.collector.settings import Settings
from graphldp.collector.storage.collecting.removals import Belongings
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.wire import Choice, Inquiry, SecondQuestion


@dataclass(frozen=True)
class NewCommunity:
    """The terms that a community is opened with. All but the label are frozen from then on.

    Args:
        roster: who is in it.
        inquiry: who asks, what for, and whom members can write to.
        epsilons: the ε to offer, one choice each.
        mechanism: by name; the one that is recommended at these ε by default.
        public: whether users may also publish their list as it is.
        split: how dprr splits ε.
        name: what people call it; its id by default.
        label: its class, by name or number, where it is known.
        retention_days: after how many days a report is deleted, as members are promised; None for no end.
        keeps_models: whether models that learned from the reports may be used after that.
        witnesses: whether users are dealt into groups to count friends by, so that liars change few labels.
    """

    roster: Roster
    inquiry: Inquiry
    epsilons: Sequence[float]
    mechanism: str | None = None
    public: bool = False
    split: Split = field(default_factory=Split)
    name: str | None = None
    label: str | None = None
    retention_days: int | None = None
    keeps_models: bool = True
    witnesses: bool = False

    def offered(self) -> tuple[str, list[Choice]]:
        """The mechanism, and the offers of ε."""
        given, n = self.roster.groups is not None, len(self.roster.names)
        mechanism, choices = offers(
            self.epsilons, self.mechanism, n, self.split, groups=given, witnesses=self.witnesses
        )
        return mechanism, [*choices, PUBLIC] if self.public else choices

    def check(self, id: str) -> None:
        """Refuse terms that every store would refuse: no database has to be made for that. Classes are a store's."""
        mechanism, choices = self.offered()
        check_community(id, self.name or id, mechanism, choices, None)
        check_inquiry(self.inquiry)
        check_roster(self.roster.names)
        check_pairs(mechanism, choices, len(self.roster.names))
        if not self.witnesses:
            number_groups(mechanism, self.roster.groups, len(self.roster.names))


def asked_by(settings: Settings, purpose: str | None, operator: str | None, contact: str | None) -> Inquiry:
    """The inquiry of a new community: who asks, what for, and whom to write to; the settings say what is left out."""
    found = Inquiry(purpose or settings.purpose, operator or settings.run_by, contact or settings.contact)
    if missing := [name for name, text in found.to_json().items() if not text]:
        raise ParameterError(
            f"Members are told what reports are for, who asks, and whom to write to. Missing: {', '.join(missing)}. "
            "Say it here, or for all communities by the settings purpose, run_by and contact."
        )
    return found


@acting("community.create", Role.OPERATOR)
def create(store: Store, actor: Actor, id: str, opening: NewCommunity) -> Community:
    """Open a community."""
    names, groups = opening.roster.names, opening.roster.groups
    mechanism, choices = opening.offered()
    known = _class(store, opening.label)
    return store.open_community(
        *(id, names),
        mechanism=mechanism,
        choices=choices,
        name=opening.name,
        label=known,
        groups=groups,
        retention_days=opening.retention_days,
        keeps_models=opening.keeps_models,
        dealt=opening.witnesses,
        inquiry=opening.inquiry,
    )


@acting("community.rename", Role.OPERATOR)
def rename(store: Store, actor: Actor, id: str, name: str, *, seen: str | None = None) -> Community:
    """Rename a community, for its members from its next epoch on."""
    return store.rename(id, name, seen)


@acting("community.label", Role.OPERATOR)
def label(store: Store, actor: Actor, id: str, label: str | None, *, seen: str | None = None) -> Community:
    """Set or remove the class of a community."""
    store.community(id)  # no class is named for a community that is not there
    store.set_label(id, _class(store, label), seen)
    return store.community(id)


@acting("community.trust", Role.OPERATOR)
def trust(store: Store, actor: Actor, id: str, *, trusted: bool = True, seen: str | None = None) -> Community:
    """Say that a community is known to be honest, or take that back. A training may then learn from these alone."""
    store.set_trusted(id, trusted, seen)
    return store.community(id)


@acting("class.name", Role.OPERATOR)
def name_class(store: Store, actor: Actor, name: str, number: int) -> None:
    """Rename a class, on every page and in every output."""
    store.classes.name(number, name)


def _class(store: Store, label: str | None) -> int | None:
    return store.classes.number(label) if label and label.strip() else None


@acting("community.close", Role.OPERATOR)
def close(store: Store, actor: Actor, id: str, *, seen: str | None = None) -> Community:
    """Close a community for good: it takes no more reports. Closing it again changes nothing."""
    store.close_community(id, seen)
    return store.community(id)


@acting("community.renew", Role.OPERATOR)
def renew(store: Store, actor: Actor, id: str, *, seen: str | None = None, inquiry: Inquiry | None = None) -> Community:
    """Open a community's next epoch: one more report from each user, at its full ε.

    Args:
        store: where it is.
        actor: who acts.
        id: the community.
        seen: its version when she looked at it.
        inquiry: who asks from now on, and what for; None where that stays.
    """
    return store.open_epoch(id, seen, inquiry)


@acting("community.ask", Role.OPERATOR)
def ask(
    store: Store, actor: Actor, id: str, *, seen: str | None = None, min_reports: int = MIN_REPORTS
) -> SecondQuestion:
    """Ask a community's second question, once and for good."""
    return store.second_round.ask(id, seen, min_reports)


@acting("community.delete", Role.OPERATOR)
def delete(store: Store, actor: Actor, id: str, *, seen: str | None = None) -> Belongings:
    """Delete a community for good, in all epochs, from the database and its log; gives what went with it."""
    return store.removals.delete(id, seen)
