"""Open, rename, label, close, renew, ask and delete communities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphldp.collector.acting import acting
from graphldp.collector.communities.community import Community, check_community, check_roster, number_groups
from graphldp.collector.communities.disclosure import MIN_REPORTS
from graphldp.collector.communities.offers import PUBLIC, Split, offers
from graphldp.collector.communities.rosters import Roster
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.collecting.removals import Belongings
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice, Question


@dataclass(frozen=True)
class NewCommunity:
    """What a community is opened with. All of it but the label is frozen from then on.

    Args:
        roster: who is in it.
        epsilons: the ε to offer, one choice each.
        mechanism: by name; the one that is recommended at these ε by default.
        public: whether users may also publish their list as it is.
        split: how dprr splits ε.
        name: what people call it; its id by default.
        label: its class, by name or number, where it is known.
        retention_days: after how many days a report is deleted, as members are promised; None for no end.
        keeps_models: whether models that learned from the reports may be used after that.
    """

    roster: Roster
    epsilons: Sequence[float]
    mechanism: str | None = None
    public: bool = False
    split: Split = field(default_factory=Split)
    name: str | None = None
    label: str | None = None
    retention_days: int | None = None
    keeps_models: bool = True

    def offered(self) -> tuple[str, list[Choice]]:
        """The mechanism, and the offers of ε."""
        names, groups = self.roster.names, self.roster.groups
        mechanism, choices = offers(self.epsilons, self.mechanism, len(names), self.split, groups=groups is not None)
        return mechanism, [*choices, PUBLIC] if self.public else choices

    def check(self, id: str) -> None:
        """Raise what every store would say against it: no database has to be made for that. Classes are a store's."""
        mechanism, choices = self.offered()
        check_community(id, self.name or id, mechanism, choices, None)
        check_roster(self.roster.names)
        number_groups(mechanism, self.roster.groups, len(self.roster.names))


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
    )


@acting("community.rename", Role.OPERATOR)
def rename(store: Store, actor: Actor, id: str, name: str, *, seen: str | None = None) -> Community:
    """Rename a community, for its members from its next epoch on."""
    return store.rename(id, name, seen)


@acting("community.label", Role.OPERATOR)
def label(store: Store, actor: Actor, id: str, label: str | None, *, seen: str | None = None) -> Community:
    """Set or remove the class of a community.

    Args:
        store: where it is.
        actor: who acts.
        id: the community.
        label: the name of a class, which may be new, or its number; None or an empty text removes it.
        seen: the community's version when she looked at it.
    """
    store.community(id)  # no class is named for a community that is not there
    store.set_label(id, _class(store, label), seen)
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
def renew(store: Store, actor: Actor, id: str, *, seen: str | None = None) -> Community:
    """Open a community's next epoch: one more report from each user, at its full ε."""
    return store.open_epoch(id, seen)


@acting("community.ask", Role.OPERATOR)
def ask(store: Store, actor: Actor, id: str, *, seen: str | None = None, min_reports: int = MIN_REPORTS) -> Question:
    """Ask the hubs of a community by hub-counts their second question, once and for good.

    Args:
        store: where it is.
        actor: who acts.
        id: the community.
        seen: its version when she looked at it.
        min_reports: how many reports it must hold: who is busy is computed from them, and told to hubs.
    """
    return store.second_round.ask(id, seen, min_reports)


@acting("community.delete", Role.OPERATOR)
def delete(store: Store, actor: Actor, id: str, *, seen: str | None = None) -> Belongings:
    """Delete a community for good, in all epochs, from the database and its log; gives what went with it."""
    return store.removals.delete(id, seen)
