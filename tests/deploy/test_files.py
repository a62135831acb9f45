"""The files of ``deploy/`` name what there is: settings, metrics, routes, services; systemd takes the unit."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import yaml
from benchmarks.services import Collector, free_port, wait_for_port
from prometheus_client.parser import text_string_to_metric_families
from tests.experiments.filled_store import fill_store

from graphldp.collector.http.monitoring import Metrics
from graphldp.collector.settings import TABLE
from graphldp.collector.storage.collecting.accepting import Ruling
from graphldp.collector.storage.store import Store

_FORBIDDEN = (
    "setpriority,ioprio_set,sched_setaffinity,sched_setattr,sched_setparam,sched_setscheduler,set_mempolicy,mbind,"
    "setrlimit,chown,fchown,fchownat,lchown,setuid,setgid,setgroups,chroot,capset"
)
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


def test_the_image_is_described_as_a_linter_wants_it() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("hadolint is not installed: its packages are for Linux on x86-64")
    linted = subprocess.run([linter, "--no-color", DEPLOY / "Containerfile"], capture_output=True, text=True)
    assert (linted.returncode, linted.stdout) == (0, "")


def test_what_the_services_name_is_there() -> None:
    compose = yaml.safe_load(_text("compose.yaml"))
    services = compose["services"]
    for name, service in services.items():
        assert set(service["networks"]) <= compose["networks"].keys(), name
        assert ("image" in service) != ("build" in service), name
        needed = service.get("depends_on", {})
        assert set(needed) <= services.keys(), name
        for other, how in needed.items() if isinstance(needed, dict) else ():
            assert (how["condition"] == "service_healthy") <= ("healthcheck" in services[other]), (name, other)
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert (DEPLOY / source).is_file() if source.startswith(".") else source in compose["volumes"], volume
    context = (DEPLOY / services["collector"]["build"]["context"]).resolve()
    assert (context / services["collector"]["build"]["dockerfile"]).samefile(DEPLOY / "Containerfile")
    assert services["collector"]["environment"]["GRAPHLDP_DATABASE"].split("@")[1].split("/")[0] in services


def test_the_image_is_made_of_what_there_is() -> None:
    lines = [line.split() for line in _text("Containerfile").splitlines() if line and not line.startswith("#")]
    known = {"FROM", "COPY", "RUN", "USER", "WORKDIR", "VOLUME", "ENV", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
    assert {line[0] for line in lines} <= known
    root = DEPLOY.parent
    copied = [source for line in lines if line[0] == "COPY" for source in line[1:-1]]
    assert copied
    assert all((root / source).exists() for source in copied)
    script = _text("build.sh")
    files = re.findall(r"(?:--constraint|-r) (\S+)", script)
    assert files
    assert all((root / file).is_file() for file in files)
    for form in ("HEALTHCHECK CMD", "ENTRYPOINT", "CMD"):  # a list of words: no shell stands between
        words = [line for line in _text("Containerfile").splitlines() if line.startswith(form)]
        assert [type(json.loads(line.removeprefix(form))) for line in words] == [list]


def test_the_health_check_is_there_whoever_builds() -> None:
    """Podman's own form of an image has none: the compose file repeats it, and the recipe names the other form."""
    (check,) = re.findall(r"(?m)^HEALTHCHECK CMD (.*)$", _text("Containerfile"))
    collector = yaml.safe_load(_text("compose.yaml"))["services"]["collector"]
    assert collector["healthcheck"]["test"] == ["CMD", *json.loads(check)]
    assert collector["read_only"] is True
    assert "podman build --format docker" in _text("Containerfile")


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


def test_the_unit_lets_jobs_go_on() -> None:
    """They are processes of the service: systemd would end them with the server."""
    lines = _text("graphldp.service").splitlines()
    assert {"KillMode=process", "OOMPolicy=continue"} <= set(lines)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace to refuse system calls (Debian: strace)")
def test_a_job_runs_under_the_units_filter(tmp_path: Path) -> None:
    """With every system call refused that the unit forbids, as far as a job may make it."""
    assert "SystemCallFilter=~@privileged @resources" in _text("graphldp.service")
    database = f"sqlite:///{tmp_path / 'collector.db'}"
    store = Store.open(database)
    fill_store(store)
    settings = {"folder": str(tmp_path), "min_reports": 5, "defense": "none", "seed": 1}
    key = store.jobs.add("train", settings, "alice").key
    program = "from graphldp.cli import main; main()"
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={_FORBIDDEN}:error=EPERM", sys.executable]
    command += ["-c", program, "collect", "run-job", str(key), "--database", database]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    job = store.jobs.job(key)
    assert (done.returncode, job.state) == (0, "done"), (done.stderr, job.note)
    store.close()


@pytest.mark.attack("collector")
@pytest.mark.skipif(shutil.which("caddy") is None, reason="needs caddy to read its file (Debian: caddy)")
def test_caddy_passes_on_what_members_need_and_nothing_else(tmp_path: Path) -> None:
    """Forge `X-Forwarded-For`, or reach `/metrics` by odd spellings, through the proxy of `deploy/`.

    The file as it stands, but for TLS: nobody gives this machine a certificate.
    """
    port = free_port()
    with Collector(f"sqlite:///{tmp_path / 'collector.db'}", {"address_per_minute": 3}) as collector:
        file = tmp_path / "Caddyfile"
        text = _text("Caddyfile").replace("collector:8470", f"127.0.0.1:{collector.port}")
        file.write_text(text.replace("{", "{\n\tadmin off", 1))  # whose port is one for all of a machine
        environment = os.environ | {"GRAPHLDP_SITE": f"http://127.0.0.1:{port}", "HOME": str(tmp_path)}
        command = ["caddy", "run", "--config", str(file), "--adapter", "caddyfile"]
        with (tmp_path / "log").open("w") as log, subprocess.Popen(command, env=environment, stderr=log) as caddy:
            try:
                wait_for_port(port)
                _ask_through_caddy(f"http://127.0.0.1:{port}")
            finally:
                caddy.kill()
        assert "10.0.0" not in (tmp_path / "log").read_text()


def _ask_through_caddy(url: str) -> None:
    with httpx.Client(timeout=60) as http:
        hidden = ("/metrics", "/readyz", "/METRICS", "/%6detrics", "//metrics", "/x/../metrics", "/metrics/")
        assert [http.get(url + path).status_code for path in hidden] == [404] * len(hidden)
        # who forges where she comes from is counted as who she is
        forged = [{"X-Forwarded-For": f"10.0.0.{place}"} for place in range(5)]
        statuses = [http.get(url, headers=each).status_code for each in forged]
        assert (statuses[0], statuses[-1]) == (200, 429)
