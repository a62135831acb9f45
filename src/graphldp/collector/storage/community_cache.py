"""A cache of what never changes about communities: n, mechanism, choices and roster are frozen when one opens."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import fields

from anyio import CapacityLimiter, to_thread
from fastapi.concurrency import run_in_threadpool

from graphldp.collector.community import Community
from graphldp.collector.storage import schema
from graphldp.collector.storage.store import Store
from graphldp.wire import WITH_SECOND, Published, Terms, write_people, write_terms

_COMMUNITIES = 100_000  # a kilobyte each; one that is not kept costs each of its reports two transactions more
_PEOPLE_BYTES = 64_000_000  # of rosters


class CommunityCache:
    """Communities by id, read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[str, Community] = OrderedDict()
        self._people: OrderedDict[str, bytes] = OrderedDict()  # rosters and groups by their digest, as JSON
        self._one = CapacityLimiter(1)

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

    async def published(self, community: Community, user: int) -> tuple[bytes, bytes]:
        """What a community publishes to the holder of a slot, as JSON: her own part, and the one that all share."""
        people = self._people.get(community.roster_digest)
        if people is None:  # a long roster takes many times its bytes until it is written: one at a time
            people = await to_thread.run_sync(self._write_people, community, limiter=self._one)
        return await run_in_threadpool(self._write_terms, community, user), people

    def _write_people(self, community: Community) -> bytes:
        """The roster and the groups of a community, unless somebody has just written them."""
        people = self._people.get(community.roster_digest)
        if people is None:
            names, groups = self._store.roster(community), self._store.groups(community)
            roster = json.dumps(names, ensure_ascii=False)
            people = write_people(roster, None if groups is None else json.dumps(groups)).encode()
            self._people[community.roster_digest] = people
            while len(self._people) > 1 and sum(map(len, self._people.values())) > _PEOPLE_BYTES:
                self._people.popitem(last=False)
        return people

    def _write_terms(self, community: Community, user: int) -> bytes:
        """What a community publishes to the holder of one slot alone."""
        terms = {each.name: getattr(community, each.name) for each in fields(Terms)}
        held = self._store.holdings.epochs(community.id, user)
        asks = community.mechanism in WITH_SECOND
        answered = self._store.holdings.epochs(community.id, user, schema.answers) if asks else ()
        key = self._store.sealing_keys.published()
        return write_terms(Published(**terms, user=user), held, answered, key).encode()
