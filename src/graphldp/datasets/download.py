"""Fetch an archive over HTTP: under a temporary name until it is whole, with its checksum kept beside it."""

from __future__ import annotations

import hashlib
import http.client
import os
import secrets
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from graphldp.datasets import tu
from graphldp.errors import DatasetNotFoundError, DownloadError, FormatError, bad_parameter

TU_URL = "https://www.chrsmrrs.com/graphkerneldatasets"
_TIMEOUT = 30.0  # seconds without a byte
_BLOCK = 1 << 16


def download(name: str, folder: Path, base_url: str) -> Path:
    """Fetch ``base_url/NAME.zip`` into a folder; the name NAME.zip appears only once the archive is whole and checked.

    Raises:
        DatasetNotFoundError: when the server has no such archive.
        DownloadError: when it cannot be reached, or what arrives is cut short or not the dataset.
    """
    if not base_url.startswith(("http://", "https://")):
        raise bad_parameter("url", "load_dataset", "an http:// or https:// address", base_url)
    url = f"{base_url.rstrip('/')}/{name}.zip"
    target = folder / f"{name}.zip"
    part = folder / f".{name}.zip.{secrets.token_hex(6)}.part"
    try:
        with _told_clearly(url, name, folder):
            digest = _stream(url, name, part)
        try:
            tu.check_whole(part, name)
        except FormatError:
            raise DownloadError(
                f"{url}: what arrived is not a whole zip archive with {name}_A.txt and {name}_graph_indicator.txt."
            ) from None
        # the checksum goes first: without its archive it means nothing, an archive with an old checksum looks damaged
        checksum_file(target).write_text(f"{digest}  {target.name}\n", encoding="ascii")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def checksum_file(archive: Path) -> Path:
    """Where an archive's checksum is kept, in the form that ``sha256sum --check`` reads."""
    return archive.with_name(f"{archive.name}.sha256")


def verify(archive: Path, digest: str) -> None:
    """Compare an archive's SHA-256 with the one kept when it was downloaded, if there is one.

    Raises:
        FormatError: when they differ.
    """
    kept = checksum_file(archive)
    try:
        expected = kept.read_text(encoding="ascii", errors="replace").split()[:1]
    except FileNotFoundError:
        return
    if expected != [digest]:
        raise FormatError(
            f"{archive}: has changed since it was downloaded (its SHA-256 is not the one in {kept.name}). "
            f"Delete both files to download it again, or only {kept.name} to use the archive as it is."
        )


def _stream(url: str, name: str, part: Path) -> str:
    """Write the body of the answer to a new file; return its SHA-256."""
    total = hashlib.sha256()
    request = urllib.request.Request(url, headers={"User-Agent": "graphldp"})  # noqa: S310 (the scheme was checked)
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer, part.open("xb") as file:  # noqa: S310
        length = answer.headers.get("Content-Length")
        expected = int(length) if length and length.isdigit() else None
        received = 0
        with _progress(name, expected) as advance:
            while block := answer.read(_BLOCK):
                file.write(block)
                total.update(block)
                received += len(block)
                if received > tu.MAX_BYTES:
                    raise ValueError(f"more than {tu.MAX_BYTES >> 30} GiB arrived, which no dataset needs")
                advance(len(block))
        if expected is not None and received != expected:
            raise http.client.IncompleteRead(b"", expected - received)
        file.flush()
        os.fsync(file.fileno())
    return total.hexdigest()


@contextmanager
def _told_clearly(url: str, name: str, folder: Path) -> Iterator[None]:
    """Turn errors of a connection or a disk into one error that says what to do next."""
    otherwise = f"Try again, or put {name}.zip into {folder} yourself."
    try:
        yield
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (404, 410):
            raise DatasetNotFoundError(f"{url}: there is no such dataset.") from None
        raise DownloadError(f"{url}: the server answered {error.code} ({error.reason}). {otherwise}") from None
    except urllib.error.URLError as error:
        raise DownloadError(f"{url}: {error.reason}. {otherwise}") from None
    except http.client.IncompleteRead as error:
        missing = f", {error.expected:,} bytes short" if error.expected else ""
        raise DownloadError(f"{url}: the download was cut off{missing}. {otherwise}") from None
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise DownloadError(f"{url}: the download failed ({error or type(error).__name__}). {otherwise}") from None


@contextmanager
def _progress(name: str, expected: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(name, total=expected)
        yield lambda count: bar.advance(task, count)
