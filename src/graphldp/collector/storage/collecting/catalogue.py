"""What never changes about communities, kept in memory: n, mechanism, choices and roster are frozen when one opens."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import fields

from graphldp.collector.communities.community import Community
from graphldp.collector.storage import schema
from graphldp.collector.storage.store import Store
from graphldp.wire import Published, Terms, write_publication

_COMMUNITIES = 100_000  # a kilobyte each; one that is not kept costs each of its reports two transactions more
_ROSTERS = 64


class Catalogue:
    """Communities by id, read once.

    Args:
        store: where they are read from.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[str, Community] = OrderedDict()
        self._rosters: OrderedDict[int, tuple[str, str | None]] = OrderedDict()  # as JSON, with the groups

    def known(self, id: str) -> Community | None:
        """A community that was read before; whether its epoch is still open is for the store to say."""
        return self._known.get(id)

    def read(self, *ids: str) -> dict[str, Community]:
        """Communities from the store, in their latest epochs."""
        found = {community.id: community for community in self._store.find(*ids)}
        self._known.update(found)
        while len(self._known) > _COMMUNITIES:
            self._known.popitem(last=False)
        return found

    def published(self, community: Community, user: int) -> str:
        """What a community publishes to the holder of a slot, as JSON."""
        people = self._rosters.get(community.key)
        if people is None:
            names, groups = self._store.roster(community), self._store.groups(community)
            people = json.dumps(names, ensure_ascii=False), None if groups is None else json.dumps(groups)
            self._rosters[community.key] = people
            while len(self._rosters) > _ROSTERS:
                self._rosters.popitem(last=False)
        roster, partition = people
        terms = {each.name: getattr(community, each.name) for each in fields(Terms)}
        held = self._store.holdings.epochs(community.id, user)
        asks = community.mechanism == "hub-counts"
        answered = self._store.holdings.epochs(community.id, user, schema.answers) if asks else ()
        key = self._store.sealing_keys.published()
        return write_publication(Published(**terms, user=user), held, roster, answered, key, partition)
