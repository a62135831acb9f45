"""Files for what runs elsewhere, on other systems and at a release: the published form, and names of what is here."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
FORMS = {
    "github-workflows": [".github/workflows/checks.yml", ".github/workflows/release.yml"],
    "github-issue-forms": [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/idea.yml"],
    "readthedocs": [".readthedocs.yaml"],
    "compose-spec": ["deploy/compose.yaml"],
    "citation-file-format": ["CITATION.cff"],
}


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def steps(name: str) -> list[str]:
    """The commands of a workflow."""
    jobs = read(f".github/workflows/{name}.yml")["jobs"].values()
    return [step["run"] for job in jobs for step in job.get("steps", []) if "run" in step]


@pytest.mark.parametrize("form", FORMS)
def test_a_file_has_the_form_that_is_published_for_it(form: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{form}", *FORMS[form]]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_every_workflow_is_checked() -> None:
    assert {f".github/workflows/{path.name}" for path in WORKFLOWS.iterdir()} == set(FORMS["github-workflows"])


def test_the_pythons_are_those_that_the_package_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {each.rpartition(" ")[2] for each in project["classifiers"] if re.search(r"Python :: 3\.\d+$", each)}
    assert set(read(".github/workflows/checks.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"]) == named


def test_workflows_call_what_there_is() -> None:
    called = {word for run in steps("checks") for word in re.findall(r"make (\w+)", run)}
    assert called == {"test", "dist"}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(f"\n{target}:" in makefile for target in called)
    paths = {word for run in steps("checks") for word in shlex.split(run) if word.startswith(("tests/", ".ci/"))}
    assert all((ROOT / path).exists() for path in paths)


def test_a_release_is_published_by_who_it_is_and_not_by_a_secret() -> None:
    """No token is stored: the indexes trust this workflow, and it may write nothing but what it publishes."""
    text = (WORKFLOWS / "release.yml").read_text("utf-8")
    assert set(re.findall(r"secrets\.(\w+)", text)) == {"GITHUB_TOKEN"}
    jobs = read(".github/workflows/release.yml")["jobs"]
    assert read(".github/workflows/release.yml")["permissions"] == {"contents": "read"}
    assert {name for name, job in jobs.items() if job.get("permissions", {}).get("id-token")} == {"python", "npm"}
    assert all("checks" in job["needs"] for name, job in jobs.items() if name != "checks")


def test_npm_can_say_where_its_package_is_from() -> None:
    """It refuses one with a proof of origin that names another repository, and takes dist/… for one on GitHub."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    package = json.loads((ROOT / "clients" / "web" / "package.json").read_text("utf-8"))
    assert package["repository"]["url"] == f"git+{urls['Source']}.git"
    (published,) = re.findall(r"npm publish .*", (WORKFLOWS / "release.yml").read_text("utf-8"))
    assert shlex.split(published)[-1].startswith("./dist/")


def test_the_conda_recipe_asks_for_what_the_package_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    recipe = read("deploy/conda/recipe.yaml")
    wanted = [
        *project["dependencies"],
        *project["optional-dependencies"]["draw"],
        f"python{project['requires-python']}",
    ]
    assert {each.replace(" ", "") for each in recipe["requirements"]["run"]} == set(wanted)
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["build"]["python"]["entry_points"] == [f"graphldp = {project['scripts']['graphldp']}"]


def test_the_hosted_site_has_the_extras_that_its_examples_need() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    install = " ".join(read(".readthedocs.yaml")["build"]["jobs"]["install"])
    (given,) = re.findall(r'"\.\[(.*?)\]"', install)
    gallery = (ROOT / "docs" / "gallery" / "index.md").read_text("utf-8")
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"\(extras? (.*?)\)", gallery))))
    assert named
    assert {"docs", "learn", "plots", *named} <= set(given.split(",")) <= extras.keys()


@pytest.mark.long
def test_what_windows_runs_passes_without_what_it_lacks() -> None:
    """The line of the workflow, where graphldp finds no module that only POSIX has."""
    (line,) = [run for run in steps("checks") if "-m pytest" in run]
    command = [sys.executable, *shlex.split(line)[1:], "-q", "-p", "tests.project.no_posix", "-n", "2"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-3000:]
