"""What is released: one version, every file in the archives, and a wheel that installs alone and with each extra."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.docs.markdown import blocks

import graphldp as gl
from graphldp.errors import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
ELSEWHERE = {"triton": "learn"}  # comes with torch where there is a GPU
BY_ALEMBIC = "graphldp.collector.storage.migrations.env"  # a script that alembic runs, not a module to import


class Archives(NamedTuple):
    """What ``make dist`` uploads."""

    wheel: Path
    source: Path


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True, capture_output=True
    )
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Archives(wheel, source)


def test_the_version_stands_in_one_place(archives: Archives) -> None:
    changes = re.findall(r"(?m)^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert changes[0] == gl.__version__
    assert archives.wheel.name == f"graphldp-{gl.__version__}-py3-none-any.whl"
    assert archives.source.name == f"graphldp-{gl.__version__}.tar.gz"
    recipe, package = ROOT / "deploy" / "conda" / "recipe.yaml", ROOT / "clients" / "web" / "package.json"
    assert f'version: "{gl.__version__}"' in recipe.read_text("utf-8")
    assert json.loads(package.read_text("utf-8"))["version"] == gl.__version__
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dynamic"]
    assert not re.search(r"(?m)^version:", (ROOT / "CITATION.cff").read_text("utf-8"))


def test_the_wheel_has_every_file_of_the_package(archives: Archives) -> None:
    """Also those that are no modules: the page for members, the dashboard's templates, the type marker."""
    wanted = {
        str(path.relative_to(SOURCE)): path.read_bytes()
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(archives.wheel) as wheel:
        found = {name: wheel.read(name) for name in wheel.namelist() if ".dist-info/" not in name}
    assert found == wanted
    assert {"graphldp/py.typed", "graphldp/collector/web/join.html"} < set(wanted)


def test_the_page_on_the_index_leads_to_files_of_the_version(archives: Archives) -> None:
    """It shows the README, with no folder beside it."""
    with zipfile.ZipFile(archives.wheel) as wheel:
        (name,) = [each for each in wheel.namelist() if each.endswith(".dist-info/METADATA")]
        shown = wheel.read(name).decode()
    links = re.findall(r"(!?)\[[^]]*\]\(([^)]*)\)", shown)
    assert all(link.startswith("https://") for _, link in links)
    ours = re.compile(rf"https://github.com/graphldp/graphldp/(raw|blob)/v{re.escape(gl.__version__)}/([^#]+)")
    files = [(picture, *found.groups()) for picture, link in links if (found := ours.match(link))]
    assert all((ROOT / file).exists() and (way == "raw") == bool(picture) for picture, way, file in files)
    assert ("!", "raw", "docs/images/demo.png") in files


def test_the_source_archive_has_what_is_built_and_deployed(archives: Archives, tmp_path: Path) -> None:
    """The wheel's own files and what those are built from, down to the page's; no test, no benchmark, no result."""
    with tarfile.open(archives.source) as source:
        source.extractall(tmp_path, filter="data")
        found = {name.partition("/")[2]: member.size for name, member in zip(source.getnames(), source, strict=True)}
    assert not [name for name in found if re.match(r"(benchmarks|tests|tools|docs/results|clients/web/tests)/", name)]
    assert max(found.values()) < 500_000
    assert {"clients/web/src/index.ts", "deploy/build.sh", "requirements/collector.txt", "docs/index.md"} < set(found)
    (folder,) = tmp_path.iterdir()
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "again")]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)
    assert (tmp_path / "again" / archives.wheel.name).read_bytes() == archives.wheel.read_bytes()


def installed(archives: Archives, folder: Path, extra: str) -> Path:
    """The Python of a clean environment with the wheel, one extra, and nothing else."""
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder], check=True)
    python = folder / "bin" / "python"
    what = f"{archives.wheel}[{extra}]" if extra else str(archives.wheel)
    constraint = ["--constraint", str(ROOT / "constraints.txt")]
    asked = [str(uv), "pip", "install", "--quiet", "--python", str(python), *constraint, what]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode and any(said in done.stderr for said in ("error sending request", "network was disabled")):
        pytest.skip("needs a package index, or a cache of what it gave: the extras are not installed")
    assert done.returncode == 0, done.stderr
    return python


def imported(python: Path, *modules: str) -> Any:
    """What the environment says of these modules, or of all of them; ``-I``: nothing of this folder helps it."""
    program = Path(__file__).with_name("importing.py")
    ran = subprocess.run([python, "-I", program, *modules], check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def core(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All modules in an environment without extras."""
    folder = tmp_path_factory.mktemp("core") / "env"
    return imported(installed(archives, folder, "")) | {"folder": str(folder)}


@pytest.mark.long
def test_without_extras_only_what_extras_bring_is_missing(core: Any) -> None:
    assert core["version"] == gl.__version__
    assert core["file"].startswith(core["folder"])
    known = {package for packages in EXTRAS.values() for package in packages} | set(ELSEWHERE)
    assert set(core["missing"].values()) <= known


@pytest.mark.long
@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_what_its_modules_need(archives: Archives, core: Any, extra: str, tmp_path: Path) -> None:
    """A module that lacked a package of this extra lacks at most one of another extra now."""
    python = installed(archives, tmp_path / "env", extra)
    lacking = [
        module for module, package in core["missing"].items() if package in EXTRAS[extra] and module != BY_ALEMBIC
    ]
    found = imported(python, *EXTRAS[extra], *lacking)["missing"]
    others = {package for name, packages in EXTRAS.items() if name != extra for package in packages}
    assert set(found.values()) <= others - set(EXTRAS[extra])
    assert not set(found) & set(EXTRAS[extra])


@pytest.fixture(scope="module")
def newcomer(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of who installed what the README says."""
    return installed(archives, tmp_path_factory.mktemp("newcomer") / "env", "learn,plots")


@pytest.mark.long
@pytest.mark.parametrize("page", ["README.md", "docs/tutorials/quickstart.md"])
def test_the_first_lines_of_a_page_run_from_the_wheel(newcomer: Path, page: str, tmp_path: Path) -> None:
    given = [each for each in blocks(ROOT / page) if each.language == "python" and each.reason is None]
    program = "\n".join(each.code for each in given)
    ran = subprocess.run([newcomer, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
