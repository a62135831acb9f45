"""Takes withdrawn reports and retired keys out of the database's files, now and then, for all of them at once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import anyio
from anyio import to_thread

from graphldp.errors import StoreError


async def keep_erasing(erasers: Sequence[Callable[[], object]], seconds: float) -> None:
    """Erase when the server starts, and every so many seconds from then on. A busy database is tried again.

    Args:
        erasers: such as :meth:`graphldp.collector.storage.collecting.holdings.Holdings.erase`.
        seconds: between two looks.
    """
    while True:
        for erase in erasers:
            try:
                await to_thread.run_sync(erase, abandon_on_cancel=True)
            except StoreError as error:
                logging.getLogger("graphldp.collector").warning("what was deleted is not erased yet: %s", error)
        await anyio.sleep(seconds)
