from __future__ import annotations

from dataclasses import fields

import pytest

from graphldp.collector.settings import TABLE, Settings, load_settings, parse_pairs
from graphldp.errors import ParameterError


def test_the_table_and_the_values_have_the_same_names_and_types() -> None:
    assert [setting.name for setting in TABLE] == [each.name for each in fields(Settings)]
    loaded = load_settings(environment={})
    for setting in TABLE:
        assert type(getattr(loaded, setting.name)) is type(setting.default)


def test_what_is_given_wins_over_the_environment_and_that_over_the_default() -> None:
    environment = {"GRAPHLDP_PORT": "1234", "GRAPHLDP_HOST": "::1"}
    loaded = load_settings({"port": "99", "host": None}, environment)
    assert (loaded.port, loaded.host, loaded.batch_items) == (99, "::1", 2000)


@pytest.mark.attack("collector")
@pytest.mark.parametrize(
    ("name", "value"),
    [("port", "x"), ("port", "70000"), ("body_seconds", "-1"), ("body_seconds", "nan"), ("log_level", "loud")]
    + [("admin_listen", "127.0.0.1:8470"), ("admin_listen", "8471")]
    + [("log_format", "xml"), ("traces", "4318"), ("traces", "ftp://a.example")]
    + [
        ("page_origin", each) for each in ("*", "null", "https://a.example/", "https://a.example/x", "http://a.example")
    ],
)
def test_bad_values_are_refused_by_name(name: str, value: str) -> None:
    """The operators' address on the members' port, at another address of the machine."""
    with pytest.raises(ParameterError, match=f"'{name}' parameter"):
        load_settings({name: value}, {})


def test_pairs() -> None:
    assert parse_pairs(["port=1", "database=sqlite:///a=b.db"]) == {"port": "1", "database": "sqlite:///a=b.db"}
    for wrong in ("port", "nonsense=1"):
        with pytest.raises(ParameterError, match="NAME=VALUE"):
            parse_pairs([wrong])
