"""Names of classes. A label is a whole number, which classifiers learn; people give it a name."""

from __future__ import annotations

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from graphldp.collector.community import MAX_LABEL, check_label
from graphldp.collector.storage import schema
from graphldp.collector.storage.collecting.communities import hold
from graphldp.collector.storage.database import StorePart, transaction
from graphldp.errors import Described, ParameterError, WireError, bad_parameter
from graphldp.wire.roster import LONGEST_NAME, check_name

_NO_COMMUNITY = ""  # no community has this id: who names a class holds it, so that two do so one after the other


class Classes(StorePart):
    """Classes and their names."""

    def names(self) -> dict[int, str]:
        """What classes are called, by number; those that have a name."""
        table = schema.classes
        return {row.number: row.name for row in self.rows(select(table).order_by(table.c.number))}

    def number(self, given: str) -> int:
        """The number of a class, by its name or its number. A new name gets the next number that no class has."""
        name = given.strip()
        if name.isascii() and name.isdigit():
            check_label(int(name))
            return int(name)
        _check(name)
        table = schema.classes
        with transaction(self.engine, writes=True) as connection:
            hold(connection, _NO_COMMUNITY)
            found = connection.execute(select(table.c.number).where(table.c.name == name)).scalar()
            if found is None:
                found = _next(connection)
                connection.execute(insert(table).values(number=found, name=name))
        return int(found)

    def name(self, number: int, name: str) -> None:
        """Rename a class."""
        name = name.strip()
        check_label(number)
        _check(name)
        table = schema.classes
        try:
            with transaction(self.engine, writes=True) as connection:
                hold(connection, _NO_COMMUNITY)
                try:
                    if not connection.execute(update(table).where(table.c.number == number).values(name=name)).rowcount:
                        connection.execute(insert(table).values(number=number, name=name))
                except IntegrityError:
                    raise _TakenError from None
        except _TakenError:
            raise ParameterError("Another class has this name already; two would look the same.") from None


class _TakenError(Exception):
    """A name is another class's."""


def _check(name: str) -> None:
    try:
        check_name(name)
    except WireError:
        must_be = f"printable, and {LONGEST_NAME} characters at most"
        raise bad_parameter("label", "a community", must_be, Described(f"{len(name):,} characters")) from None
    if name.isdigit():
        raise bad_parameter("name", "a class", "more than a number: numbers stand for themselves", name)


def _next(connection: Connection) -> int:
    """A number that no class, named or not, has had."""
    columns = (schema.classes.c.number, schema.communities.c.label, schema.predictions.c.label)
    highest = [connection.execute(select(func.max(column))).scalar() for column in columns]
    number = max((-1 if each is None else int(each)) for each in highest) + 1
    if number > MAX_LABEL:
        raise ParameterError(f"No number is left for a new class after {MAX_LABEL:,}. Give a number, and name it then.")
    return number
