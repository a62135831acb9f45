from __future__ import annotations

import sys
from io import StringIO
from time import monotonic, sleep

import pytest
from rich.console import Console

import graphldp as gl
from graphldp.learn.engine.one_training import EpochRecord
from graphldp.learn.progress import COMPILING, LoggedProgress, TrainingDisplay

pytestmark = pytest.mark.usefixtures("few_trees")

GRAPHS = gl.synthetic.threads(num_graphs=16, seed=0)


@pytest.mark.parametrize("watched", [True, False])
def test_a_fit_shows_its_epochs(
    watched: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1") if watched else monkeypatch.delenv("FORCE_COLOR", raising=False)
    seen: list[EpochRecord] = []
    clf = gl.GINClassifier(layers=2, hidden=4, max_epochs=3, min_epochs=3, seed=5, device="cpu")
    clf.fit(GRAPHS, verbose=True, on_epoch=seen.append)
    shown = capsys.readouterr()
    assert not shown.out
    assert "3 epochs, the best was" in shown.err
    assert [each.epoch for each in seen] == [1, 2, 3]
    assert ("━" in shown.err) == watched
    clf.fit(GRAPHS)
    assert capsys.readouterr() == ("", "")


def test_what_comes_before_the_first_epoch_is_named_until_then() -> None:
    console = Console(file=StringIO(), force_terminal=True, width=120)
    with TrainingDisplay(3, console) as display:
        assert [each.description for each in display.tasks] == [COMPILING]
        display.epoch(7, EpochRecord(1, 0.5, 0.5, 0.5, 1, 0.1))
        assert [each.description for each in display.tasks] == ["seed 7"]
    with TrainingDisplay(3, console) as display:  # all seeds were trained before
        pass
    assert not display.tasks


def test_a_fit_without_epochs_shows_its_steps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    reports = gl.NoisyDegrees(1.0).randomize(GRAPHS, rng=0)
    clf = gl.ProfileClassifier(seed=0).fit(reports, verbose=True)
    assert "10/10" in capsys.readouterr().err
    assert clf._step is None
    monkeypatch.delenv("FORCE_COLOR")
    gl.RobustProfileClassifier(seed=0).fit(reports, verbose=True)
    assert capsys.readouterr().err == "RobustProfileClassifier: fitted\n"


def test_a_fit_to_users_shows_its_steps(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    graphs = gl.synthetic.communities(120)
    train, val, _ = gl.split(graphs.node_labels, (0.5, 0.25, 0.25), 0)
    view = gl.FeatureView.of(graphs, train=train, validation=val)
    reports = gl.FriendCounts(1.0).randomize(graphs.with_groups(view.groups), rng=0)
    gl.NodeClassifier().fit(reports, train=train, validation=val, view=view, verbose=True)
    assert "3/3" in capsys.readouterr().err
    gl.NodeClassifier().fit(reports, train=train, validation=val, view=view)
    assert capsys.readouterr().err == ""


def test_a_log_gets_a_line_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said twice, and nothing at all where nothing is to be shown."""
    monkeypatch.setattr(LoggedProgress, "pause", 0.01)
    for shown, lines in ((True, ["seed 7: 1 of 3, slow"]), (False, [])):
        file = StringIO()
        with LoggedProgress(console=Console(file=file, width=120), shown=shown) as display:
            task = display.add_task("seed 7", total=3, now="slow", completed=1)
            until = monotonic() + (30 if shown else 0.1)
            while monotonic() < until and not file.getvalue():
                sleep(0.01)
            sleep(0.1)
            display.update(task, completed=3)
        assert file.getvalue().splitlines() == lines


@pytest.mark.filterwarnings("error")
def test_a_notebook_without_widgets_gets_no_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    console = Console(file=StringIO(), force_jupyter=True, width=120)
    with TrainingDisplay(3, console) as display:
        display.epoch(7, EpochRecord(1, 0.5, 0.5, 0.5, 1, 0.1))
