"""Every command of ``graphldp collect``: what it leaves in the log of who did what, or why it leaves nothing."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest
import typer
from tests.cli.conftest import Command

from graphldp.cli.collect import app
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice

_LOOKS = "it changes nothing, and shows what every viewer sees"
_ASKED_FOR = "its entry is job.start, of whoever asked for the job"
_OF_A_FILE = "it changes nothing, and says whether what is kept is whole"

# A command that changes something or releases reports, with what it is given here and the action in the log. What it
# is given may make it fail: the log has it then too.
LOGGED = {
    "audit-log show": _LOOKS,
    "audit-log verify": _OF_A_FILE,
    "backup": ("backup {folder}/a.backup", "backup"),
    "class list": _LOOKS,
    "class name": ("class name 1 discussion", "class.name"),
    "community ask": ("community ask cats --yes", "community.ask"),
    "community close": ("community close cats", "community.close"),
    "community create": ("community create dogs --roster {folder}/roster.txt -e 1", "community.create"),
    "community delete": ("community delete cats --yes", "community.delete"),
    "community label": ("community label cats 1", "community.label"),
    "community list": _LOOKS,
    "community rename": ("community rename cats Cats", "community.rename"),
    "community renew": ("community renew cats", "community.renew"),
    "community show": _LOOKS,
    "delete-report": ("delete-report cats 0", "reports.delete"),
    "export": ("export {folder}/out.npz", "reports.export"),
    "held": _LOOKS,
    "invite": ("invite cats --server https://example.org --out {folder}/invitations", "community.invite"),
    "jobs list": _LOOKS,
    "jobs run": _ASKED_FOR,
    "jobs start": ("jobs start label", "job.start"),
    "jobs stop": ("jobs stop 9", "job.stop"),
    "label": ("label {folder}/none.npz", "reports.label"),
    "label-users": ("label-users cats --labels {folder}/roster.txt", "reports.label-users"),
    "operator add": ("operator add ann", "operator.add"),
    "operator allow": ("operator allow group staff --role viewer", "operator.allow"),
    "operator disallow": ("operator disallow group staff", "operator.disallow"),
    "operator list": _LOOKS,
    "operator remove": ("operator remove ann", "operator.remove"),
    "operator role": ("operator role ann viewer", "operator.role"),
    "operator rotate": ("operator rotate ann", "operator.rotate"),
    "restore": ("restore {folder}/whole.backup --yes", "restore"),
    "sealing list": _LOOKS,
    "sealing rotate": ("sealing rotate", "sealing.rotate"),
    "train": ("train {folder}/model.npz", "reports.train"),
    "verify": _OF_A_FILE,
}
LOOKING = {
    "community show": "community show cats",
    "held": "held cats",
    "jobs run": "jobs run 9",
}


def _commands(group: object, path: str = "") -> list[str]:
    found = getattr(group, "commands", None)
    if found is None:
        return [path]
    return [each for name, command in found.items() for each in _commands(command, f"{path} {name}".strip())]


def test_the_table_has_every_command() -> None:
    assert sorted(_commands(typer.main.get_command(app))) == list(LOGGED)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRAPHLDP_DATABASE", f"sqlite:///{tmp_path / 'collector.db'}")
    monkeypatch.setenv("GRAPHLDP_MODELS", str(tmp_path / "models"))
    (tmp_path / "roster.txt").write_text("ann\nbob\n")
    return tmp_path


def test_what_changes_or_releases_something_is_logged_and_nothing_else(command: Command, folder: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the learn extra")
    store = Store.open(f"sqlite:///{folder / 'collector.db'}")
    store.open_community("cats", ["ann", "bob"], mechanism="noisy-degrees", choices=[Choice("standard", 1.0, 0.0)])
    assert command("collect", "backup", folder / "whole.backup")[0] == 0
    for name, expected in LOGGED.items():
        line, action = (LOOKING.get(name, name), None) if isinstance(expected, str) else expected
        before = len(store.audit_log.entries())
        command("collect", *line.format(folder=folder).split())
        new = store.audit_log.entries()[before:]
        told = [(each.action, each.actor, each.way) for each in new[:1]]
        assert told == ([(action, getpass.getuser(), "command line")] if action else []), name
        assert [each.outcome for each in new] in ([], ["begun"], ["begun", "failed"]), name
    assert store.audit_log.problem() is None
    store.close()
