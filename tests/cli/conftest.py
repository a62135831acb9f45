"""Running ``graphldp`` in this process, and one trained model for the commands that need one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import graphldp as gl
from graphldp import cli
from graphldp.cli.shared import console

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """``command("train", …)`` gives the exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "200")
    for each in (console.out, console.err):  # a test before may have imported them with a narrower terminal
        monkeypatch.setattr(each, "width", 200)
    monkeypatch.setattr(os, "nice", lambda _: 0)  # a job gives way to others; this process has other tests to run

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["graphldp", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return (int(ended.value.code or 0), *capsys.readouterr())

    return run


@dataclass(frozen=True)
class Files:
    """A file of raw graphs, one of reports, and a model trained on the reports."""

    graphs: Path
    reports: Path
    model: Path


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("files")
    made = Files(folder / "graphs.npz", folder / "reports.npz", folder / "model.npz")
    graphs = gl.synthetic.threads(num_graphs=60, seed=0)
    graphs.save(made.graphs)
    reports = gl.DPRR(epsilon=2.0).randomize(graphs, rng=0)
    reports.save(made.reports)
    gl.GINClassifier(layers=3, hidden=8, max_epochs=15, min_epochs=5, device="cpu").fit(reports).save(made.model)
    return made
