from __future__ import annotations

import json
import socket
import stat
from pathlib import Path

import httpx
import pytest
from benchmarks.services import Collector
from tests.cli.conftest import Command

from graphldp.collector.settings import TABLE


def test_settings_are_listed_with_their_values(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHLDP_BATCH_ITEMS", "77")
    code, out, _ = command("serve", "--settings", "--port", "9", "--set", "body_seconds=3", "--json")
    rows = {row["setting"]: row for row in json.loads(out)}
    assert code == 0
    assert list(rows) == [setting.name for setting in TABLE]
    assert (rows["port"]["value"], rows["body_seconds"]["value"], rows["batch_items"]["value"]) == (9, 3.0, 77)
    assert rows["batch_items"]["variable"] == "GRAPHLDP_BATCH_ITEMS"


@pytest.mark.parametrize(
    ("database", "shown"),
    [
        ("postgresql://me:s3cret@host/reports", "postgresql://me:***@host/reports"),
        ("postgresql://me@host/reports?password=s3cret", "postgresql://me@host/reports"),
        ("postgresql://me@host/reports?sslpassword=s3cret", "postgresql://me@host/reports"),
        ("mysql://me:s3cret@host/reports", None),
        ("s3cret", None),
    ],
)
def test_settings_are_listed_without_passwords(command: Command, database: str, shown: str | None) -> None:
    pytest.importorskip("psycopg", reason="needs the postgres extra")
    given = ("--database", database, "--set", "oidc_client_secret=s3cret")
    code, out, err = command("serve", "--settings", "--json", *given)
    assert "s3cret" not in out + err
    assert code == (2 if shown is None else 0)
    if shown is not None:
        values = {row["setting"]: row["value"] for row in json.loads(out)}
        assert (values["database"], values["oidc_client_secret"]) == (shown, "***")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--set", "nonsense=1"), "NAME=VALUE"),
        (("--port", "70000"), "'port' parameter"),
        (("--host", "192.0.2.1"), "'host' parameter of the collector must be an address of this machine"),
        (("--host", "no such host"), "'host' parameter of the collector must be an address of this machine"),
        (("--database", "mysql://root:secret@host/x"), "'database' parameter"),
        (("--database", "sqlite:////dev/null/x.db"), ""),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    command: Command, arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHLDP_DATABASE", f"sqlite:///{tmp_path / 'a.db'}")
    code, out, err = command("serve", *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err
    assert "root:secret" not in err


def test_a_taken_port_is_one_line(command: Command, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = command("serve", "--port", str(port), "--database", f"sqlite:///{tmp_path / 'a.db'}")
    assert code == 2
    assert f"The 'port' parameter of the collector must be a free one on 127.0.0.1. Got {port} instead." in err


def test_it_starts_in_a_new_folder_and_ends_in_order(tmp_path: Path) -> None:
    file = tmp_path / "new" / "folder" / "collector.db"
    with Collector(f"sqlite:///{file}") as collector:
        assert httpx.get(f"{collector.url}/healthz").json() == {"status": "ok"}
        assert {stat.S_IMODE(each.stat().st_mode) for each in file.parent.iterdir()} == {0o600}
        assert collector.stop() == 0
