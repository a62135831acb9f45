from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from graphldp.client.keeping import vault
from graphldp.errors import ClientError, FormatError


def test_a_vault_is_its_owners_alone(tmp_path: Path) -> None:
    with vault.locked(tmp_path / "home"):
        vault.keep(tmp_path / "home" / "a.json", [1])
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home" / "a.json").stat().st_mode) == 0o600


@pytest.mark.attack("device")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720, 0o702])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    """A vault that others can write to, belongs to somebody else, or is a link."""
    home = tmp_path / "home"
    vault.keep(home / "a.json", [1])
    home.chmod(mode)
    for use in (lambda: vault.locked(home).__enter__(), lambda: vault.kept(home / "a.json")):
        with pytest.raises(ClientError, match="can write to it"):
            use()
    with pytest.raises(ClientError, match="can write to it"):
        vault.keep(home / "a.json", [2])
    home.chmod(0o755)
    assert vault.kept(home / "a.json") == [1]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    os.chown(tmp_path / "home", 12345, 12345)
    with pytest.raises(ClientError, match="others own"), vault.locked(tmp_path / "home"):
        pass


@pytest.mark.attack("device")
def test_links_are_not_followed(tmp_path: Path) -> None:
    """A vault that others can write to, belongs to somebody else, or is a link."""
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "home").symlink_to(tmp_path / "real")
    with pytest.raises(ClientError, match="not a link"), vault.locked(tmp_path / "home"):
        pass
    (tmp_path / "elsewhere").write_text("[1]")
    for name in ("a.json", ".b.json.part", "lock"):
        (tmp_path / "real" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ClientError, match="symbolic link"):
        vault.kept(tmp_path / "real" / "a.json")
    with pytest.raises(ClientError, match="symbolic link"):
        vault.keep(tmp_path / "real" / "b.json", [2])
    with pytest.raises(ClientError, match="symbolic link"), vault.locked(tmp_path / "real"):
        pass
    assert (tmp_path / "elsewhere").read_text() == "[1]"


@pytest.mark.parametrize("text", [b"{", b"\xff", b"[" * 100_000])
def test_a_damaged_file_is_named(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.json").write_bytes(text)
    with pytest.raises(FormatError, match=r"a\.json: damaged; restore"):
        vault.kept(tmp_path / "a.json")


def test_a_full_disk_leaves_the_old_file_and_says_which(tmp_path: Path) -> None:
    vault.keep(tmp_path / "a.json", [1])
    code = (
        "import sys; from pathlib import Path; from graphldp.client.keeping import vault\n"
        "try: vault.keep(Path(sys.argv[1]), 'x' * 10**6)\n"
        "except OSError as error: print(error.filename)"
    )

    def small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    path = tmp_path / "a.json"
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)], preexec_fn=small_disk, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == str(path)
    assert vault.kept(path) == [1]
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]
