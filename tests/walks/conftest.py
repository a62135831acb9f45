"""What tests of a client and of a collector begin with, for those of both."""

from __future__ import annotations

from tests.client.conftest import friends, server
from tests.collector.conftest import database, empty_file, postgres, shared_database, store

__all__ = ["database", "empty_file", "friends", "postgres", "server", "shared_database", "store"]
