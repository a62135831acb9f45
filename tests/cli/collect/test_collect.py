"""Every command of an operator. Bad input is one line, and what only looks makes no database."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Command

from graphldp.collector.storage.store import Store


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("community", "create", "Cats", "-e", "1"), "lower-case"),
        (("community", "create", "cats", "-e", "0"), "'epsilon' parameter"),
        (("community", "create", "cats", "-e", "1", "-m", "magic"), "'mechanism' parameter"),
        (("community", "create", "cats", "-e", "0.5", "-m", "dprr"), "fixed or utility)"),
        (("community", "create", "cats", "-e", "0.5", "--allocation", "fixed"), "Choose dprr, or leave out allocation"),
        (("community", "create", "cats", "-e", "20"), "at most 16.777215"),
        (("community", "create", "cats", "-e", "1", "-m", "dprr", "--n-max", "1"), "'n_max' parameter"),
        (("community", "create", "cats", "-e", "1", "--allocation", "x"), "'allocation' parameter"),
        (("community", "close", "dogs"), "'community' parameter"),
        (("export", "out.txt"), ".npz"),
        (("export", "out.npz"), "no community yet"),
        (("export", "out.npz", "--labelled"), "no community yet"),
        (("delete-report", "dogs", "1"), "'community' parameter"),
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


LOOKING = [
    *[("community", *words) for words in (("show", "cats"), ("list",), ("close", "cats"), ("renew", "cats"))],
    *[("community", *words) for words in (("rename", "cats", "Cats"), ("delete", "cats", "--yes"))],
    *[("community", "label", "cats", "1"), ("operator", "list"), ("operator", "remove", "ann")],
    *[("invite", "cats", "--server", "https://a.example", "--out", "folder"), ("export", "out.npz"), ("held", "cats")],
    *[("delete-report", "cats", "1"), ("backup", "out"), ("verify",), ("train", "model.npz"), ("label", "model.npz")],
]


@pytest.mark.parametrize("arguments", LOOKING, ids=" ".join)
def test_a_command_that_looks_makes_no_database(
    command: Command, database: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    code, out, err = command("collect", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"no collector's database in {tmp_path / 'collector.db'}" in err
    assert list(tmp_path.iterdir()) == []
