"""A system without POSIX's locks: the library and its commands run, and what does not says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys
sys.modules.update(fcntl=None, resource=None)  # what Windows does not have
from tests.project.without_extras import run
print(json.dumps([run(each) for each in json.load(sys.stdin)]))
"""
INVITATION = json.dumps({"server": "http://127.0.0.1:9", "community": "cats", "token": "x" * 43})
EVERYWHERE = (["mechanism"], ["plan", "--users", "200"], ["randomize", "synthetic:threads", "--out", "reports.npz"])
POSIX = (
    ["serve"],
    ["collect", "community", "show"],
    ["client", "join", INVITATION, "--accept", "1"],
)


def test_what_needs_posix_says_so_and_the_rest_runs(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(Path(__file__).resolve().parents[2]), "HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([*EVERYWHERE, *POSIX]),
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    said = json.loads(ran.stdout)
    for command, ended in zip(EVERYWHERE, said, strict=False):
        assert ended["code"] == 0, (command, ended)
    for command, ended in zip(POSIX, said[len(EVERYWHERE) :], strict=True):
        assert (ended["code"], ended["err"].count("\n")) == (2, 1), (command, ended)
        assert "needs Linux or macOS" in ended["err"]
