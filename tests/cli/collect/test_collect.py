"""Every command of an operator: bad input is one line, and what is changed is in the log."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest
import typer
from tests.cli.conftest import Command

from graphldp.cli.collect import app
from graphldp.collector.storage.store import Store
from graphldp.wire import Choice


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("community", "create", "Cats", "-e", "1"), "lower-case"),
        (("community", "create", "cats", "-e", "0"), "'epsilon' parameter"),
        (("community", "create", "cats", "-e", "1", "-m", "magic"), "'mechanism' parameter"),
        (("community", "create", "cats", "-e", "0.5", "-m", "dprr"), "fixed or utility)"),
        (("community", "create", "cats", "-e", "0.5", "-m", "rr allocation=fixed"), "without the setting allocation"),
        (("community", "create", "cats", "-e", "20"), "at most 16.777215"),
        (("community", "create", "cats", "-e", "1", "-m", "dprr n_max=1"), "'n_max' parameter"),
        (("community", "create", "cats", "-e", "1", "-m", "dprr allocation=x"), "'allocation' parameter"),
        (("community", "close", "dogs"), "'community' parameter"),
        (("export", "out.txt"), ".npz"),
        (("export", "out.npz"), "no community yet"),
        (("export", "out.npz", "--labelled"), "no community yet"),
        (("community", "delete", "dogs", "--user", "1"), "'community' parameter"),
        (("operator", "remove", "nobody"), "'name' parameter"),
        (("train", "model.npz"), "no community yet"),
    ],
)
def test_bad_input(command: Command, database: str, roster: Path, arguments: tuple[str, ...], said: str) -> None:
    Store.open(database).close()
    given = ["collect", *arguments]
    if "create" in arguments:
        given += ["--roster", str(roster)]
    code, out, err = command(*given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


COMMANDS_THAT_LOOK = [
    *[("community", *words) for words in (("show", "cats"), ("show",), ("close", "cats"), ("renew", "cats"))],
    *[("community", *words) for words in (("change", "cats", "--name", "Cats"), ("delete", "cats", "--yes"))],
    *[("community", "change", "cats", "--class", "1"), ("operator", "list"), ("operator", "remove", "ann")],
    *[
        ("invite", "cats", "--server", "https://a.example", "--out", "folder"),
        ("export", "out.npz"),
        ("missing", "cats"),
    ],
    *[
        ("community", "delete", "cats", "--user", "1"),
        ("backup", "out"),
        ("synthesize", "cats", "--out", "out.csv"),
        ("verify",),
        ("train", "model.npz"),
        ("label", "model.npz"),
    ],
]


@pytest.mark.attack("collector")
@pytest.mark.parametrize("arguments", COMMANDS_THAT_LOOK, ids=" ".join)
def test_a_command_that_looks_makes_no_database(
    command: Command, database: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """A mistyped or foreign database given to a command that only reads."""
    code, out, err = command("collect", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"no collector's database in {tmp_path / 'collector.db'}" in err
    assert list(tmp_path.iterdir()) == []


_LOOKS = "it changes nothing, and shows what every viewer sees"


_ASKED_FOR = "its entry is job.start, of whoever asked for the job"


_OF_A_FILE = "it changes nothing, and says whether what is kept is whole"


# A command that changes something or releases reports, with what it is given here and the action in the log. What it
# is given may make it fail: the log has it then too.
LOGGED = {
    "backup": ("backup {folder}/a.backup", "backup"),
    "class": ("class 1 discussion", "class.name"),
    "community ask": ("community ask cats --yes", "community.ask"),
    "community change": ("community change cats --class 1", "community.label"),
    "community close": ("community close cats", "community.close"),
    "community create": ("community create dogs --roster {folder}/roster.txt -e 1", "community.create"),
    "community delete": ("community delete cats --yes", "community.delete"),
    "community renew": ("community renew cats", "community.renew"),
    "community show": _LOOKS,
    "community trust": ("community trust cats", "community.trust"),
    "export": ("export {folder}/out.npz", "reports.export"),
    "invite": ("invite cats --server https://example.org --out {folder}/invitations", "community.invite"),
    "job": ("job label", "job.start"),
    "label": ("label {folder}/none.npz", "reports.label"),
    "label-users": ("label-users cats --classes {folder}/roster.txt", "reports.label-users"),
    "log": _LOOKS,
    "missing": _LOOKS,
    "operator add": ("operator add ann", "operator.add"),
    "operator change": ("operator change ann --role viewer", "operator.role"),
    "operator list": _LOOKS,
    "operator remove": ("operator remove ann", "operator.remove"),
    "restore": ("restore {folder}/whole.backup --yes", "restore"),
    "run-job": _ASKED_FOR,
    "sealing": ("sealing --rotate", "sealing.rotate"),
    "statistics": _LOOKS,
    "synthesize": _LOOKS,
    "train": ("train {folder}/model.npz", "reports.train"),
    "verify": _OF_A_FILE,
}


# What else a command does by its options.
MORE = [
    ("class", None),
    ("community change cats --name Cats", "community.rename"),
    ("community delete cats --user 0", "reports.delete"),
    ("community show", None),
    ("job", None),
    ("job stop 9", "job.stop"),
    ("log --verify", None),
    ("operator add staff --oidc group --role viewer", "operator.allow"),
    ("operator change ann --new-key", "operator.rotate"),
    ("operator remove staff --oidc group", "operator.disallow"),
    ("sealing", None),
]


LOOKING = {
    "community show": "community show cats",
    "missing": "missing cats",
    "run-job": "run-job 9",
    "statistics": "statistics cats",
    "synthesize": "synthesize cats --out cats.csv",
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


@pytest.mark.attack("collector")
def test_what_changes_or_releases_something_is_logged_and_nothing_else(command: Command, folder: Path) -> None:
    """Take all reports out by a backup, learn from them, or change the sealing key, unseen."""
    pytest.importorskip("sklearn", reason="needs the learn extra")
    store = Store.open(f"sqlite:///{folder / 'collector.db'}")
    store.open_community("cats", ["ann", "bob"], mechanism="noisy-degrees", choices=[Choice("standard", 1.0, 0.0)])
    assert command("collect", "backup", folder / "whole.backup")[0] == 0
    lines = [
        (LOOKING.get(name, name), None) if isinstance(expected, str) else expected for name, expected in LOGGED.items()
    ]
    for line, action in [*MORE, *lines]:
        before = len(store.audit_log.entries())
        command("collect", *line.format(folder=folder).split())
        new = store.audit_log.entries()[before:]
        told = [(each.action, each.actor, each.way) for each in new[:1]]
        assert told == ([(action, getpass.getuser(), "command line")] if action else []), line
        assert [each.outcome for each in new] in ([], ["begun"], ["begun", "failed"]), line
    assert store.audit_log.problem() is None
    store.close()
