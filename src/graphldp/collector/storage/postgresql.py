"""Connections to PostgreSQL that give up when nothing comes back.

TCP notices a machine that is gone, and the server ends statements that take too long. Neither helps against a proxy or
a server that takes what is sent and answers nothing. So a connection waits for so long, and is then closed: a moment
while it is looked at before it is used, longer than the server's own limit for a statement, and without end for what
may take hours. Once the process is to end, nothing is waited for longer than a moment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator
from time import monotonic
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

Made = TypeVar("Made")

STATEMENT = 30.0
"""Seconds after which PostgreSQL itself ends a statement."""

_MOMENT = 5.0


class WaitLimits:
    """Limits on how long the connections of an engine wait: for an answer that takes no work, and for a statement."""

    def __init__(self, moment: float = _MOMENT, statement: float = STATEMENT + _MOMENT) -> None:
        self.moment, self.statement = moment, statement
        self._hurried_at: float | None = None

    def hurry(self) -> None:
        """Wait no longer than a moment from now on, for what is under way too."""
        self._hurried_at = monotonic()

    def over(self, since: float, limit: float) -> bool:
        """Whether an answer is given up that has been waited for since then."""
        now = monotonic()
        hurried = self._hurried_at is not None and now - max(since, self._hurried_at) > self.moment
        return hurried or now - since > limit


def watch(engine: Engine, limits: WaitLimits) -> None:
    """Let an engine for PostgreSQL make such connections."""
    from psycopg import Connection as Driver
    from psycopg import OperationalError

    class SilentError(OperationalError):
        """Nothing came back."""

    class Watched(Driver[Any]):
        limit = limits.moment

        def wait(self, gen: Any, *given: Any, **named: Any) -> Any:
            return super().wait(_until(gen, self._over()), *given, **named)

        def _over(self) -> Callable[[], None]:
            since = monotonic()

            def give_up() -> None:
                if limits.over(since, self.limit):
                    self.close()
                    raise SilentError("nothing came back")

            return give_up

    def connect(_dialect: Any, _record: Any, given: Any, named: Any) -> Any:
        return Watched.connect(*given, **named)

    def rest(driver: Any, _record: Any) -> None:
        if driver is not None:
            driver.limit = limits.moment

    event.listen(engine, "do_connect", connect)
    event.listen(engine, "checkin", rest)
    engine.update_execution_options(wait_limits=limits)


def _until(steps: Generator[Any, Any, Made], give_up: Callable[[], None]) -> Generator[Any, Any, Made]:
    """The driver's own steps; at each look at a connection on which nothing came, give up or go on."""
    try:
        state = next(steps)
        while True:
            ready = yield state
            if not ready:
                give_up()
            state = steps.send(ready)
    except StopIteration as done:
        made: Made = done.value
        return made


def wait_for_statements(connection: Connection) -> None:
    """Let a connection that was just taken wait for as long as a statement may take."""
    _limit(connection, lambda limits: limits.statement)


def wait_without_end(connection: Connection) -> None:
    """Let a connection wait for what may take hours, until it goes back."""
    _limit(connection, lambda _: math.inf)


def hurry(engine: Engine) -> None:
    """Let an engine's connections wait no longer than a moment: the process is to end."""
    if (limits := engine.get_execution_options().get("wait_limits")) is not None:
        limits.hurry()


def _limit(connection: Connection, seconds: Callable[[WaitLimits], float]) -> None:
    if (limits := connection.engine.get_execution_options().get("wait_limits")) is not None:
        driver: Any = connection.connection.driver_connection
        driver.limit = seconds(limits)


_PORT = 5432
_REASONS = {
    r"refused": "connection refused. Does the server run there?",
    r"No such file or directory|Permission denied": "there is no such socket, or it cannot be opened.",
    r"failed to resolve host|translate host name": "there is no such host.",
    r"timeout expired|timed out": "no answer.",
    r"unreachable|No route to host": "the host cannot be reached.",
    r"password authentication failed|no password supplied": "password authentication failed for user '{user}'.",
    r"authentication failed": "authentication failed for user '{user}'.",
    r"pg_hba\.conf": "the server lets no user '{user}' in from here (pg_hba.conf).",
    r'role "[^"]*" does not exist': "there is no user '{user}'.",
    r'database "[^"]*" does not exist': "the database '{database}' does not exist.",
    r"permission denied for database": "the user '{user}' may not use the database '{database}'.",
    r"too many (?:clients|connections)|remaining connection slots": "it has too many connections.",
    r"starting up|shutting down|recovery mode": "it is starting or stopping.",
    r"SSL|certificate": "the encrypted connection failed.",
    r"invalid port": "there is no such port.",
    r"service": "the URL names a service that cannot be found.",
    r"invalid URI|invalid connection option|invalid \w+ value": "the URL has an option that there is not.",
}


def unreachable(url: URL, error: DBAPIError) -> str:
    """An error of what failed and where. The driver's own words are not repeated: they may hold more."""
    if url.get_backend_name() == "sqlite":
        kind = getattr(error.orig, "sqlite_errorname", type(error.orig).__name__)
        return f"The database cannot be used now: the file {url.database} ({kind})."
    said = str(error.orig)
    known = next((words for pattern, words in _REASONS.items() if re.search(pattern, said)), None)
    reason = f"({type(error.orig).__name__})." if known is None else known
    at = url.get_dialect()().create_connect_args(url)[1]  # a host may stand in an option too
    host = at.get("host") or "/"
    where = "a socket of this machine" if host.startswith("/") else f"{host}, port {at.get('port') or _PORT}"
    told = reason.format(user=url.username or "", database=url.database or "")
    return f"The database cannot be used now: PostgreSQL at {where}: {told}"
