"""Rows from one database to another, whichever kinds they are, many at a time.

SQLAlchemy's own way from a row to an insert costs ten times what the databases take. Here a row stays a tuple: between
two SQLite files as it is, otherwise with each value as the other database writes it, and into PostgreSQL by COPY.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Table, select

_ROWS = 100  # at a time: rosters and reports may be large
Rows = Sequence[tuple[Any, ...]]


def copy_rows(source: Connection, target: Connection, table: Table) -> None:
    """Add all of a table's rows in one database to those in another. Both have the schema of this version."""
    names = ", ".join(f'"{column.name}"' for column in table.c)
    into = f'"{table.name}" ({names})'
    if source.dialect.name == target.dialect.name == "sqlite":
        found = source.exec_driver_sql(f'SELECT {names} FROM "{table.name}"')  # noqa: S608 - names of our schema
        rows: Iterator[Rows] = ([tuple(row) for row in some] for some in found.partitions(_ROWS))
    else:
        rows = _translated(source, target, table)
    if target.dialect.name == "sqlite":
        places = ", ".join("?" * len(table.c))
        for some in rows:
            target.exec_driver_sql(f"INSERT INTO {into} VALUES ({places})", list(some))  # noqa: S608 - likewise
        return
    driver: Any = target.connection.cursor()
    with driver.copy(f"COPY {into} FROM STDIN") as copy:
        for some in rows:
            for row in some:
                copy.write_row(row)


def _translated(source: Connection, target: Connection, table: Table) -> Iterator[Rows]:
    """Rows with each value as the target's driver takes it."""
    dialect = target.dialect
    writers = [column.type.dialect_impl(dialect).bind_processor(dialect) for column in table.c]
    changed: list[tuple[int, Callable[[Any], Any]]] = [
        (place, write) for place, write in enumerate(writers) if write is not None
    ]
    found = source.execute(select(table), execution_options={"yield_per": _ROWS})
    for some in found.partitions():
        rows = [list(row) for row in some]
        for row in rows:
            for place, write in changed:
                row[place] = write(row[place])
        yield [tuple(row) for row in rows]
