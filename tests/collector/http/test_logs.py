"""Log lines for machines."""

from __future__ import annotations

import json
import logging
from logging.config import dictConfig
from pathlib import Path

import pytest
from tests.collector.site import Site

from graphldp.collector.http.logs import FORMATS, JsonLines, log_config


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


@pytest.mark.attack("collector")
@pytest.mark.parametrize("format", FORMATS)
def test_no_format_repeats_the_words_of_an_error(format: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A form that is cut off, from anybody at the login."""
    dictConfig(log_config(format, "info"))
    try:
        try:
            raise ValueError("12.secret-token") from KeyError("another-secret")
        except ValueError:
            logging.getLogger("uvicorn.error").exception("it failed")
    finally:
        for name in ("uvicorn", "graphldp"):
            logging.getLogger(name).handlers.clear()
            logging.getLogger(name).propagate = True
    said = capsys.readouterr().err
    assert "it failed" in said
    assert "ValueError" in said
    assert "test_no_format_repeats_the_words_of_an_error" in said
    assert "secret" not in said
