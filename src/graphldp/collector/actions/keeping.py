"""Look after what the collector keeps: write backups, change the key for sealed reports. For administrators.

A restore is logged too, by :func:`graphldp.collector.storage.copies.backup.restore` itself: its entry belongs to its
transaction, since an entry before it would stand in a new database's log, where the backup's log is to go on.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from graphldp.collector.acting import acting
from graphldp.collector.roles import Actor, Role
from graphldp.collector.storage.copies import backup
from graphldp.collector.storage.sealing_keys import SealingKey
from graphldp.collector.storage.store import Store


@acting("backup", Role.ADMINISTRATOR)
def back_up(store: Store, actor: Actor, file: Path) -> None:
    """Write all that the collector holds to a file, its log with this action included."""
    backup.back_up(store.engine, file)


@acting("sealing.rotate", Role.ADMINISTRATOR)
def rotate_sealing_key(store: Store, actor: Actor, overlap: timedelta) -> SealingKey:
    """Publish a new key for sealed reports. Those before it go on opening for as long as ``overlap``."""
    return store.sealing_keys.rotate(overlap)
