"""The files of ``deploy/`` name what there is: settings, metrics, routes, and a unit that systemd takes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from graphldp.collector.http.metrics import Metrics
from graphldp.collector.intake import Ruling
from graphldp.collector.settings import TABLE

DEPLOY = Path(__file__).parents[2] / "deploy"


def _text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def _metrics() -> dict[str, set[str]]:
    """What a server shows, and the labels of each."""
    metrics = Metrics()
    metrics.count_request("/", 200)
    metrics.watch(lambda _: [Ruling.STORED])([])
    families = text_string_to_metric_families(metrics.page().decode())
    return {sample.name: set(sample.labels) for family in families for sample in family.samples}


def test_each_metric_of_the_dashboard_is_one_that_a_server_shows() -> None:
    panels, shown = json.loads(_text("grafana.json"))["panels"], _metrics()
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    named = {name for query in queries for name in re.findall(r"graphldp_\w+", query)}
    assert len(queries) >= len(panels) >= 5
    assert named <= shown.keys()
    groups = [group for query in queries for group in re.findall(r"by \(([\w, ]+)\)", query)]
    used = {label for group in groups for label in group.split(", ")}
    assert used <= {label for name in named for label in shown[name]}
    verdicts = {verdict for query in queries for verdict in re.findall(r'verdict="(\w+)"', query)}
    assert verdicts <= {ruling.value for ruling in Ruling}
    assert len({panel["id"] for panel in panels}) == len(panels)


@pytest.mark.parametrize("name", ["Containerfile", "compose.yaml", "graphldp.service"])
def test_each_setting_is_one_of_the_table(name: str) -> None:
    ours = {"GRAPHLDP_SITE", "GRAPHLDP_DATABASE_PASSWORD"}  # the compose file's own
    named = set(re.findall(r"GRAPHLDP_[A-Z_]+", _text(name)))
    assert named
    assert named - ours <= {setting.variable for setting in TABLE}


def test_one_script_builds_the_image() -> None:
    steps = [line for line in _text("Containerfile").splitlines() if line.startswith("RUN ")]
    assert len(steps) == 1
    assert "deploy/build.sh" in steps[0]
    assert subprocess.run(["sh", "-n", DEPLOY / "build.sh"]).returncode == 0
    assert (DEPLOY / "build.sh").stat().st_mode & 0o111
    assert "--require-hashes" in _text("build.sh")


def test_the_proxy_keeps_the_operators_routes_and_an_access_log_to_itself() -> None:
    caddy = _text("Caddyfile")
    assert re.search(r"@own path .*/metrics", caddy)
    assert "respond @own 404" in caddy
    assert "output" not in caddy  # of a log
    address = re.search(r"GRAPHLDP_TRUSTED_PROXIES: (\S+)", _text("compose.yaml"))
    assert address is not None
    assert f"ipv4_address: {address[1]}" in _text("compose.yaml")


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="needs systemd-analyze to read the unit (Debian: systemd)"
)
def test_systemd_takes_the_unit_and_finds_it_well_shut(tmp_path: Path) -> None:
    unit = tmp_path / "graphldp.service"  # the same, with a program and a user that are here
    text = _text("graphldp.service").replace("/opt/graphldp/bin/graphldp", "/bin/true")
    unit.write_text(re.sub(r"(?m)^(User|Group)=.*$", r"\1=root", text))
    checked = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    shut = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(DEPLOY / "graphldp.service")]
    assert subprocess.run(shut, capture_output=True).returncode == 0  # 2.0 of 10, and 9.6 without any of it
