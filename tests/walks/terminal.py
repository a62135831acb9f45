"""A terminal of 80 columns, as people have one."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

COLUMNS = 80
_STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_START = "from graphldp.cli import main; main()"


def typed(folder: Path, *arguments: object, fails: bool = False) -> str:
    """What ``graphldp`` with these arguments shows, typed in a folder; no line of it is cut by the terminal."""
    screen, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"}
    command = [sys.executable, "-c", _START, *map(str, arguments)]
    with subprocess.Popen(command, stdin=end, stdout=end, stderr=end, cwd=folder, env=environment) as process:
        os.close(end)
        shown = b""
        with suppress(OSError):  # what the system answers once the other end is closed
            while some := os.read(screen, 1 << 16):
                shown += some
        os.close(screen)
    text = _STYLE.sub("", shown.decode())
    assert (process.returncode != 0) is fails, text
    wide = [line for line in re.split(r"[\r\n]+", text) if len(line) > COLUMNS and " " in line.strip()]
    assert wide == [], wide
    return text
