"""Log lines, as text or as one JSON object each, for whoever collects logs by machine.

An error is logged by its kind and the places that it passed. Its own words stay out: they may repeat what somebody
sent.
"""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

FORMATS = ("text", "json")
CONNECTIONS = "uvicorn.error.connections"
"""The logger of connections, which writes no line where a stranger sends nonsense: she could as often as she likes."""


class PlainLines(logging.Formatter):
    """Lines for people; of an error its kind, and below it the places that it passed."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the library's name
        """An error's text in the log: its kind and places, without its message."""
        kind, _, trace = ei
        return "\n".join([kind.__name__, *(f"  at {place}" for place in _places(trace))])


class JsonLines(logging.Formatter):
    """One object for each line: time, level, logger, message, and of an error its kind and where it came from."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as JSON."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage().strip(),
        }
        if record.exc_info and record.exc_info[0] is not None:
            kind, _, trace = record.exc_info
            line["error"] = kind.__name__
            line["at"] = _places(trace)
        return json.dumps(line, ensure_ascii=False)


def _places(trace: TracebackType | None) -> list[str]:
    return [f"{place.filename}:{place.lineno} {place.name}" for place in traceback.extract_tb(trace)]


def log_config(format: str, level: str) -> dict[str, Any]:
    """How the server logs: to standard error, for uvicorn and for the collector alike."""
    formatters: dict[str, Any] = {
        "text": {"()": PlainLines, "format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": JsonLines},
    }
    logger = {"handlers": ["lines"], "level": level.upper(), "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": formatters[format]},
        "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "loggers": {"uvicorn": logger, "graphldp": logger, CONNECTIONS: {"level": "ERROR"}},
    }
