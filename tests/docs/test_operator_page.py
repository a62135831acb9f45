"""The lines with which the operator's page begins, as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.services import PATIENCE, free_port

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "operator.md"


@pytest.mark.long
def test_the_ten_lines_work(tmp_path: Path) -> None:
    """Only the port is another one: that of the page may be taken."""
    first = re.search(r"```bash\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert first is not None
    assert len(first[1].splitlines()) == 10
    port = str(free_port())
    lines, here = first[1].replace("8470", port), str(Path(sys.executable).parent)
    assert lines != first[1]
    server = tmp_path / "bin" / "graphldp"  # slower than the client is patient by itself
    server.parent.mkdir()
    server.write_text(f'#!/bin/sh\n[ "$1" = serve ] && sleep 20\nexec {here}/graphldp "$@"\n')
    server.chmod(0o755)
    bare = {name: value for name, value in os.environ.items() if not name.startswith("GRAPHLDP_")}  # as a reader's
    environment = bare | {"PATH": f"{server.parent}:{os.environ['PATH']}", "GRAPHLDP_PORT": port}
    done = subprocess.run(
        ["bash", "-euc", lines], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=4 * PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^invited +4\nreported +1$", done.stdout, re.MULTILINE)
