"""Take out what was collected, or delete some of it."""

from __future__ import annotations

from collections.abc import Sequence

from graphldp.collector.acting import acting
from graphldp.collector.community import Community
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.export import export as gather
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.reports import Reports


def chosen(store: Store, ids: Sequence[str] | None) -> list[Community]:
    """Communities by id, or all."""
    found = [store.community(id) for id in ids] if ids else store.communities()
    if not found:
        raise ParameterError("There is no community yet: 'graphldp collect community create' opens one.")
    return found


@acting("reports.export", Role.OPERATOR)
def export(store: Store, actor: Actor, ids: Sequence[str] | None = None, *, labelled: bool = False) -> Reports:
    """The reports of communities, with everyone marked who has not reported.

    Args:
        store: where they are.
        actor: who acts.
        ids: of which communities; of all by default.
        labelled: leave out those that have no label.
    """
    wanted = [each for each in chosen(store, ids) if not labelled or each.label is not None]
    if not wanted:
        raise ParameterError("No community has a label yet: 'graphldp collect community label' gives one.")
    return gather(store, wanted)


@acting("reports.delete", Role.OPERATOR)
def delete_report(store: Store, actor: Actor, id: str, user: int, epoch: int | None = None) -> list[int]:
    """Delete a user's reports for good; gives the epochs that had one. Her slots stay taken."""
    return store.holdings.delete(id, user, epoch)
