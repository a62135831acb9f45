"""Types of columns that mean the same in SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from sqlalchemy import JSON, Date, DateTime, Dialect, TypeDecorator

from graphldp.errors import DamagedError

T = TypeVar("T")


class _Parsed(TypeDecorator[T]):
    """A value that SQLite keeps as text. SQLite checks no text, so one that was damaged or forged is refused here."""

    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], T | None] | None:
        """Refuse what cannot be read."""
        read = super().result_processor(dialect, coltype)
        if read is None:
            return None

        def read_or_refuse(value: Any) -> T | None:
            try:
                return read(value)
            except (TypeError, ValueError):  # whose words repeat the value
                raise DamagedError("The database is damaged: a row holds what its column cannot.") from None

        return read_or_refuse


class Moment(_Parsed[datetime]):
    """A moment in UTC, also where the database forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Add the zone that SQLite drops."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class Day(_Parsed[date]):
    """A day."""

    impl = Date
    cache_ok = True


class Fields(_Parsed[Any]):
    """Lists and objects of JSON."""

    impl = JSON
    cache_ok = True
