"""Against a real HTTP server on the loopback interface that behaves as badly as real ones do."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import graphldp as gl
from graphldp.datasets import registry, tu
from graphldp.datasets.download import checksum_file
from graphldp.errors import DatasetNotFoundError, DownloadError, FormatError, ParameterError

from .conftest import Write

Answer = Callable[[BaseHTTPRequestHandler, bytes], None]
RESET_ON_CLOSE = (socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Server:
    """Serves one archive; ``answer`` says how."""

    def __init__(self, archive: bytes) -> None:
        self.archive = archive
        self.answer: Answer = whole
        self.paths: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.paths.append(self.path)
                outer.answer(self, outer.archive)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/tu"


def whole(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    begin(handler, len(body))
    handler.wfile.write(body)


def begin(handler: BaseHTTPRequestHandler, length: int | None, code: int = 200) -> None:
    handler.send_response(code)
    if length is not None:
        handler.send_header("Content-Length", str(length))
    handler.end_headers()


def truncated(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    begin(handler, len(body))
    handler.wfile.write(body[: len(body) // 2])


def without_length(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    begin(handler, None)
    handler.wfile.write(body)


def truncated_without_length(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    without_length(handler, body[: len(body) // 2])


def cut(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    """Half the body, then a reset instead of an orderly end."""
    begin(handler, len(body))
    handler.wfile.write(body[: len(body) // 2])
    handler.connection.setsockopt(*RESET_ON_CLOSE)
    handler.connection.close()
    handler.wfile = open(os.devnull, "wb")  # noqa: SIM115 (the base class flushes and closes it)


def garbled_header(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    handler.wfile.write(b"what?\r\n\r\n")


def html(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    whole(handler, b"<html>please log in</html>")


def damaged(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    middle = body.index(b"tiny_A.txt") + 20  # inside the first file's packed bytes
    whole(handler, body[:middle] + b"XXXX" + body[middle + 4 :])


def gone(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    handler.send_error(404)


def broken(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    handler.send_error(503)


@pytest.fixture
def server(write_zip: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    path = write_zip()
    server = Server(path.read_bytes())
    path.unlink()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.02,))
    thread.start()
    monkeypatch.setenv("GRAPHLDP_TU_URL", server.url)
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


def files_under(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_whole(server: Server) -> None:
    assert gl.load_dataset("tiny").num_graphs == 2
    folder = registry.cache_folder() / "datasets"
    assert files_under(folder) == ["tiny.zip", "tiny.zip.sha256"]
    assert (folder / "tiny.zip").read_bytes() == server.archive
    digest = hashlib.sha256(server.archive).hexdigest()
    assert (folder / "tiny.zip.sha256").read_text("utf-8") == f"{digest}  tiny.zip\n"
    assert gl.load_dataset("tiny").num_graphs == 2
    assert server.paths == ["/tu/tiny.zip"]  # the second load asked nobody


def test_whole_without_a_length(server: Server) -> None:
    server.answer = without_length
    assert gl.load_dataset("tiny").num_graphs == 2


def test_address_as_argument(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHLDP_TU_URL", "http://127.0.0.1:1/")
    assert gl.load_dataset("tiny", url=f"{server.url}/").num_graphs == 2
    assert server.paths == ["/tu/tiny.zip"]


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (truncated, DownloadError, "cut off, .* bytes short"),
        (truncated_without_length, DownloadError, "not a whole zip archive"),
        (cut, DownloadError, "tiny.zip: .*(cut off|reset)"),
        (garbled_header, DownloadError, "download failed"),
        (html, DownloadError, "not a whole zip archive with tiny_A.txt"),
        (damaged, DownloadError, "not a whole zip archive"),
        (gone, DatasetNotFoundError, "tiny.zip: there is no such dataset"),
        (broken, DownloadError, "the server answered 503"),
    ],
)
def test_failure_leaves_nothing_and_a_second_call_succeeds(
    server: Server, tmp_path: Path, answer: Answer, error: type[Exception], message: str
) -> None:
    server.answer = answer
    with pytest.raises(error, match=message):
        gl.load_dataset("tiny")
    assert files_under(tmp_path) == []
    server.answer = whole
    assert gl.load_dataset("tiny").num_graphs == 2


@pytest.mark.attack("learning")
def test_an_endless_download_is_stopped(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A download without an end, a bomb from a mirror."""
    monkeypatch.setattr(tu, "MAX_BYTES", 1 << 20)
    sent = 0

    def endless(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        nonlocal sent
        begin(handler, None)
        with suppress(OSError):  # it hangs up
            while sent < 1 << 30:
                sent += handler.wfile.write(bytes(1 << 16))

    server.answer = endless
    with pytest.raises(DownloadError, match="which no dataset needs"):
        gl.load_dataset("tiny")
    assert files_under(tmp_path) == []


@pytest.mark.attack("learning")
def test_a_bomb_is_not_kept(server: Server, write_zip: Write, tmp_path: Path) -> None:
    """A download without an end, a bomb from a mirror."""
    path = write_zip(A="1,2\n" * 10_000_000)
    server.archive = path.read_bytes()
    path.unlink()
    with pytest.raises(DownloadError, match="not a whole zip archive"):
        gl.load_dataset("tiny")
    assert files_under(tmp_path) == []


def test_archive_of_another_dataset(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"not a whole zip archive with other_A\.txt"):
        gl.load_dataset("other")
    assert files_under(tmp_path) == []


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX's signals to a thread")
def test_interrupt_leaves_nothing(server: Server, tmp_path: Path) -> None:
    released = threading.Event()

    def stall(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        begin(handler, len(body))
        handler.wfile.write(body[: len(body) // 2])
        handler.wfile.flush()
        deadline = time.monotonic() + 90
        while not list(tmp_path.rglob("*.part")) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)  # the file has been made; let it be in good hands, too
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        released.wait(60)

    server.answer = stall
    with pytest.raises(KeyboardInterrupt):
        gl.load_dataset("tiny")
    released.set()
    assert files_under(tmp_path) == []
    server.answer = whole
    assert gl.load_dataset("tiny").num_graphs == 2


def test_a_misspelt_name_is_not_asked_for(server: Server) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"Did you mean REDDIT-BINARY\?"):
        gl.load_dataset("REDIT-BINARY")
    assert server.paths == []


def test_no_server_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"refused.*put tiny.zip into .*datasets yourself"):
        gl.load_dataset("tiny", url="http://127.0.0.1:1")
    assert files_under(tmp_path) == []


def test_only_http(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'url' parameter of load_dataset must be an http"):
        gl.load_dataset("tiny", url=tmp_path.as_uri())


def test_given_root_takes_the_download(server: Server, tmp_path: Path) -> None:
    gl.load_dataset("tiny", tmp_path / "new" / "root")
    assert files_under(tmp_path / "new" / "root") == ["tiny.zip", "tiny.zip.sha256"]


def test_root_that_cannot_be_written_gives_way_to_the_cache(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    gl.load_dataset("tiny", tmp_path / "file" / "root")  # not even the superuser makes folders there
    assert files_under(registry.cache_folder() / "datasets") == ["tiny.zip", "tiny.zip.sha256"]


def test_nowhere_to_write(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRAPHLDP_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(DownloadError, match="set GRAPHLDP_CACHE"):
        gl.load_dataset("tiny")
    assert server.paths == []


def test_changed_archive_is_an_error_that_says_what_to_do(server: Server, write_zip: Write, tmp_path: Path) -> None:
    gl.load_dataset("tiny", tmp_path)
    archive = write_zip(A="1, 2\n")
    with pytest.raises(FormatError, match=r"Delete both files to download it again, or only tiny\.zip\.sha256"):
        gl.load_dataset("tiny", tmp_path)
    checksum_file(archive).unlink()
    assert gl.load_dataset("tiny", tmp_path).num_entries == 2
    archive.unlink()
    assert gl.load_dataset("tiny", tmp_path).num_entries == 8


@pytest.mark.parametrize("kept", ["", "\n", "ff  tiny.zip\n"])
def test_damaged_checksum_is_a_change_too(server: Server, tmp_path: Path, kept: str) -> None:
    gl.load_dataset("tiny", tmp_path)
    checksum_file(tmp_path / "tiny.zip").write_text(kept)
    with pytest.raises(FormatError, match="has changed since it was downloaded"):
        gl.load_dataset("tiny", tmp_path)
