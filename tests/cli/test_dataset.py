from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from graphldp import cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run("dataset")`` gives the exit code, standard output and standard error."""
    monkeypatch.setenv("GRAPHLDP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GRAPHLDP_TU_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("GRAPHLDP_DATA", raising=False)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["graphldp", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return (int(ended.value.code or 0), *capsys.readouterr())

    return run


def test_a_table_of_edges_is_described(run: Run, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\nann,bob\nbob,carol\n")
    code, out, _ = run("dataset", str(tmp_path / "edges.csv"), "--json")
    assert (code, json.loads(out)["users"], json.loads(out)["edges"]) == (0, 3, 2)


def write_star(folder: Path, name: str = "star") -> None:
    """A star of five, a pair and a lone user, as NAME.zip."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        archive.writestr(f"{name}/{name}_A.txt", "1, 2\n1, 3\n1, 4\n1, 5\n6, 7\n")
        archive.writestr(f"{name}/{name}_graph_indicator.txt", "1\n1\n1\n1\n1\n2\n2\n2\n")
        archive.writestr(f"{name}/{name}_graph_labels.txt", "0\n1\n")


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Iterator[Path]:
    """A folder that a local server serves as the TU collection."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    write_star(tmp_path / "served")
    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "served")))
    thread = threading.Thread(target=http.serve_forever, args=(0.02,))
    thread.start()
    monkeypatch.setenv("GRAPHLDP_TU_URL", f"http://127.0.0.1:{http.server_port}")
    yield tmp_path / "served"
    http.shutdown()
    thread.join()
    http.server_close()


def test_list_says_where_each_is(run: Run, tmp_path: Path) -> None:
    write_star(tmp_path / "root", "COLLAB")
    write_star(tmp_path / "cache" / "datasets", "IMDB-MULTI")
    code, out, _ = run("dataset", "--json", "--root", str(tmp_path / "root"))
    rows = {row["name"]: row for row in json.loads(out)}
    assert code == 0
    assert len(rows) == 12
    assert rows["REDDIT-BINARY"] == {
        "name": "REDDIT-BINARY",
        "classes": 2,
        "graphs": 2000,
        "nodes_mean": 429.63,
        "where": "not here",
    }
    assert (rows["COLLAB"]["where"], rows["IMDB-MULTI"]["where"]) == ("root", "cache")


def test_list_as_a_table(run: Run) -> None:
    code, out, err = run("dataset")
    assert code == 0
    assert "github_stargazers" in out
    assert "12,725" in out
    assert err == ""


def test_show_counts(run: Run, tmp_path: Path) -> None:
    write_star(tmp_path)
    code, out, _ = run("dataset", "star", "--root", str(tmp_path), "--json")
    shown = json.loads(out)
    assert code == 0
    expected = {"graphs": 2, "classes": 2, "users": 8, "edges": 5, "nodes_max": 5, "nodes_mean": 4.0, "degree_max": 4}
    assert {key: shown[key] for key in expected} == expected
    assert shown["degree_mean"] == 1.25
    assert shown["from"] == str(tmp_path / "star.zip")
    assert shown["degrees"] == [
        {"from": 0, "to": 0, "users": 1},
        {"from": 1, "to": 1, "users": 6},
        {"from": 2, "to": 3, "users": 0},
        {"from": 4, "to": 7, "users": 1},
    ]


def test_show_sketches_degrees(run: Run, tmp_path: Path) -> None:
    write_star(tmp_path)
    code, out, _ = run("dataset", "star", "--root", str(tmp_path))
    assert code == 0
    assert "4–7" in out
    assert "█" * 40 in out


def test_show_downloads_nothing(run: Run) -> None:
    code, out, err = run("dataset", "IMDB-BINARY")
    assert (code, out) == (2, "")
    assert "graphldp dataset IMDB-BINARY --fetch" in err


def test_fetch_then_show(run: Run, collection: Path, tmp_path: Path) -> None:
    root = tmp_path / "data"
    code, out, _ = run("dataset", "star", "--fetch", "--root", str(root), "--json")
    assert code == 0
    assert json.loads(out) == [{"name": "star", "fetched": True, "path": str(root / "star.zip")}]
    assert sorted(os.listdir(root)) == ["star.zip", "star.zip.sha256"]
    assert json.loads(run("dataset", "star", "--fetch", "--root", str(root), "--json")[1])[0]["fetched"] is False
    assert run("dataset", "star", "--root", str(root))[0] == 0


def test_fetch_notices_a_changed_archive(run: Run, collection: Path, tmp_path: Path) -> None:
    run("dataset", "star", "--fetch", "--root", str(tmp_path))
    (tmp_path / "star.zip").write_bytes(b"changed")
    code, out, err = run("dataset", "star", "--fetch", "--root", str(tmp_path))
    assert (code, out) == (2, "")
    assert "has changed since it was downloaded" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("../x", "--fetch"), "The 'name' parameter of graphldp dataset must be"),
        (("REDIT-BINARY", "--fetch"), "Did you mean REDDIT-BINARY?"),
        (("--fetch",), "'name' parameter of graphldp dataset --fetch must be given"),
        (("REDIT-BINARY",), "Did you mean REDDIT-BINARY?"),
        (("--root", os.devnull), "The 'root' parameter of load_dataset must be a folder"),
        (("star", "moon"), "one, or several with --fetch"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("dataset", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert err.startswith("graphldp: ")


def test_malformed_file_is_named(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("bad_A.txt", "1, 2\n2, x\n")
        archive.writestr("bad_graph_indicator.txt", "1\n1\n")
    code, _, err = run("dataset", "bad", "--root", str(tmp_path))
    assert code == 2
    where = f"{tmp_path / 'bad.zip'}: bad_A.txt"
    assert err == f"graphldp: {where}: line 2 must hold two whole numbers with a comma between them.\n"


def test_help_teaches_with_an_example(run: Run) -> None:
    code, out, _ = run("dataset", "--help")
    assert code == 0
    assert "graphldp dataset REDDIT-BINARY IMDB-BINARY --fetch" in out


def test_ctrl_c_during_a_fetch(run: Run, tmp_path: Path) -> None:
    """A server that stalls midway, a real process, a real signal."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        environment = {**os.environ, "GRAPHLDP_TU_URL": f"http://127.0.0.1:{listener.getsockname()[1]}"}
        command = [sys.executable, "-c", "from graphldp.cli import main; main()", "dataset", "star", "--fetch"]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nPK")
                deadline = time.monotonic() + 90
                while not list(tmp_path.rglob("*.part")) and time.monotonic() < deadline:
                    time.sleep(0.01)
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "graphldp: interrupted; nothing half-written was left behind.\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
