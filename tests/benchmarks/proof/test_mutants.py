"""The list of mutants is true to the code; that each is caught is for ``make proof``."""

from __future__ import annotations

from pathlib import Path

from benchmarks.proof import mutants

LIST = mutants.mutants()


def test_the_list_is_long_enough_and_names_each_once() -> None:
    assert len(LIST) >= 25
    assert len({mutant.breaks for mutant in LIST}) == len(LIST)


def test_the_text_of_a_mutant_is_there_once() -> None:
    wrong = []
    for mutant in LIST:
        code = (mutants.ROOT / mutant.place).read_text()
        if code.count(mutant.text) != 1 or mutant.instead == mutant.text:
            wrong.append(f"{mutant.file}: {mutant.breaks}")
        elif mutant.place.suffix == ".py":
            compile(code.replace(mutant.text, mutant.instead), mutant.file, "exec")
    assert not wrong


def test_its_catcher_exists() -> None:
    files: dict[str, str] = {}
    for catcher in sorted({mutant.catcher for mutant in LIST} - {""}):
        if not catcher.startswith("graphldp audit "):
            file, *names = catcher.split("::")
            text = files[file] = files.get(file) or (mutants.ROOT / file).read_text()
            assert "def test_" + (names[-1].removeprefix("test_") if names else "") in text, catcher


def test_a_mutant_is_gone_after_its_run(tmp_path: Path) -> None:
    (tmp_path / "src" / "graphldp").mkdir(parents=True)
    file = tmp_path / "src" / "graphldp" / "a.py"
    file.write_text("one\ntwo\n")
    before = file.stat().st_mtime_ns
    with mutants.applied(mutants.Mutant("", "a.py", "two", "three", ""), tmp_path):
        assert file.read_text() == "one\nthree\n"
    assert file.read_text() == "one\ntwo\n"
    assert file.stat().st_mtime_ns == before
