"""Log lines for machines."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from tests.collector.site import Site

from graphldp.collector.http.logs import JsonLines


def test_an_error_is_logged_without_its_own_words() -> None:
    try:
        raise ValueError("12.secret-token")
    except ValueError as error:
        told = (ValueError, error, error.__traceback__)
        record = logging.LogRecord("uvicorn.error", logging.ERROR, __file__, 1, "it %s", ("failed",), told)
    line = JsonLines().format(record)
    read = json.loads(line)
    assert (read["level"], read["logger"], read["message"], read["error"]) == (
        *("error", "uvicorn.error"),
        *("it failed", "ValueError"),
    )
    assert read["at"][-1].endswith("test_an_error_is_logged_without_its_own_words")
    assert "secret" not in line
    assert "\n" not in line


def test_every_line_of_a_server_is_an_object(tmp_path: Path) -> None:
    site = Site(tmp_path, {"log_format": "json"})
    with site.collector:
        assert site.http.get(f"{site.collector.url}/healthz").status_code == 200
        assert site.collector.stop() == 0
        lines = [json.loads(line) for line in site.collector.output().splitlines()]
    assert {"uvicorn.error"} <= {line["logger"] for line in lines}
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)
    site.http.close()
    site.store.close()
