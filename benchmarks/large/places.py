"""The places of the two stores: the full one, and its copy that has a tenth of the reports."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Protocol, Self

from benchmarks.services import Postgres

from graphldp.collector.storage.database import open_engine


class Place(Protocol):
    """The two databases of a benchmark, by URL. They stay when it ends."""

    full: str
    early: str

    def copy(self) -> None:
        """Make the early one, as the full one is now."""


class Sqlite:
    """Two databases as files of SQLite."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._files = folder / "last.db", folder / "first.db"
        self.full, self.early = (f"sqlite:///{file}" for file in self._files)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def copy(self) -> None:
        """Copy the file, whose log was emptied when its last user closed it."""
        shutil.copyfile(*self._files)


class PostgreSQL:
    """Two databases of one PostgreSQL server."""

    def __init__(self, folder: Path) -> None:
        made = folder.exists()
        self._server = Postgres(folder)
        self.full = self._server.url.replace("/postgres", "/last")
        self.early = self._server.url.replace("/postgres", "/first")
        self._new = not made

    def __enter__(self) -> Self:
        self._server.start()
        if self._new:
            self._server.create("last")
        return self

    def __exit__(self, *error: object) -> None:
        self._server.__exit__(*error)

    def copy(self) -> None:
        """Copy the database inside the server."""
        engine = open_engine(self._server.url)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("SET statement_timeout = 0")
            connection.exec_driver_sql("DROP DATABASE IF EXISTS first")
            connection.exec_driver_sql("CREATE DATABASE first TEMPLATE last")
        engine.dispose()
