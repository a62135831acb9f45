"""Deciding which reports are stored, so that somebody without a token learns nothing from the answer.

A report with a wrong token, for a slot that is not there or for a community that is not there goes the same way and
gets the same answer: its token is looked up in the transaction that would store it, and then the community is read
anew. What is wrong with a report is found out only after the transaction has said that its token is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anyio import CapacityLimiter, to_thread
from fastapi.concurrency import run_in_threadpool

from graphldp.collector.communities.community import Community
from graphldp.collector.intake import Ruling, Submission
from graphldp.collector.storage.collecting.catalogue import Catalogue
from graphldp.collector.storage.writer import Writer
from graphldp.wire.reading.validation import LONGEST, reason, validate

_NOWHERE = 0  # the key of no community
_UNSURE = (Ruling.UNKNOWN, Ruling.OUTDATED)


class Item(NamedTuple):
    """A report as it arrived.

    Args:
        community: the id of its community.
        user: the slot that it is for.
        token_hash: of the token that came with it.
        body: its bytes.
        epoch: the epoch that it was drawn for, or None for whichever is open.
    """

    community: str
    user: int
    token_hash: bytes
    body: bytes
    epoch: int | None


class Outcome(NamedTuple):
    """What became of a report, and what is wrong with it where something is."""

    ruling: Ruling
    wrong: str | None = None
    too_large: bool = False


class Desk:
    """Where reports are decided on.

    Args:
        catalogue: communities.
        writer: puts reports into the store.
    """

    def __init__(self, catalogue: Catalogue, writer: Writer) -> None:
        self._catalogue, self._writer = catalogue, writer
        self.one_reader = CapacityLimiter(1)  # two would only take the interpreter from each other

    async def decide(self, items: Sequence[Item]) -> list[Outcome]:
        """What became of each report; those that are stored are on disk."""
        known = [self._catalogue.known(item.community) for item in items]
        rulings = await self._try(items, known)
        unsure = [place for place, ruling in enumerate(rulings) if ruling in _UNSURE]
        if unsure:  # not read before, or a new epoch has opened since
            ids = {items[place].community for place in unsure}
            found = await run_in_threadpool(self._catalogue.read, *ids)
            moved = [p for p in unsure if _key(found.get(items[p].community)) not in (_key(known[p]), _NOWHERE)]
            for place in moved:
                known[place] = found[items[place].community]
            again = await self._try([items[place] for place in moved], [known[place] for place in moved])
            for place, ruling in zip(moved, again, strict=True):
                rulings[place] = ruling
        return [
            await self._outcome(*each) if each[2] is Ruling.UNREADABLE else Outcome(each[2])
            for each in zip(items, known, rulings, strict=True)
        ]

    async def _try(self, items: Sequence[Item], communities: Sequence[Community | None]) -> list[Ruling]:
        given = (items, communities)
        if sum(len(item.body) for item in items) <= LONGEST:
            return await self._writer.submit(_submissions(*given))
        return await self._writer.submit(await to_thread.run_sync(_submissions, *given, limiter=self.one_reader))

    async def _outcome(self, item: Item, community: Community | None, ruling: Ruling) -> Outcome:
        """The outcome for one whose token is right and whose report is not."""
        if community is None or not _in_epoch(item, community):
            return Outcome(Ruling.OUTDATED)
        if len(item.body) > community.max_size:
            return Outcome(ruling, too_large=True)
        given = (community, item.user, item.body)
        return Outcome(ruling, await to_thread.run_sync(reason, *given, limiter=self.one_reader))


def _submissions(items: Sequence[Item], communities: Sequence[Community | None]) -> list[Submission]:
    return [_submission(item, community) for item, community in zip(items, communities, strict=True)]


def _submission(item: Item, community: Community | None) -> Submission:
    if community is None or not _in_epoch(item, community):
        return Submission(_key(community), item.user, item.token_hash, None)
    good, degree = validate(community, item.user, item.body)
    return Submission(community.key, item.user, item.token_hash, item.body if good else None, degree)


def _in_epoch(item: Item, community: Community) -> bool:
    return item.epoch in (None, community.epoch)


def _key(community: Community | None) -> int:
    return _NOWHERE if community is None else community.key
