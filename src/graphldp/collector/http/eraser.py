"""Takes the bytes of withdrawn reports out of the database's files, now and then, for all of them at once."""

from __future__ import annotations

import logging
from collections.abc import Callable

import anyio
from anyio import to_thread

from graphldp.errors import StoreError


async def keep_erasing(erase: Callable[[], bool], seconds: float) -> None:
    """Erase when the server starts, and every so many seconds from then on. A busy database is tried again.

    Args:
        erase: as :meth:`graphldp.collector.storage.holdings.Holdings.erase`.
        seconds: between two looks.
    """
    while True:
        try:
            await to_thread.run_sync(erase, abandon_on_cancel=True)
        except StoreError as error:
            logging.getLogger("graphldp.collector").warning("withdrawn reports are not erased yet: %s", error)
        await anyio.sleep(seconds)
