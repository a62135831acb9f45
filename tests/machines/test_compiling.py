from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_FIT = """
import numpy as np
from graphldp.learn.tables.kernel import KernelMachine
machine = KernelMachine(0).fit(np.arange(40.0).reshape(20, 2), np.arange(20) % 2)
machine.predict_proba(np.arange(10.0).reshape(5, 2))
"""


@pytest.mark.long
def test_compiling_is_said_in_python_and_once(tmp_path: Path) -> None:
    """A first process without numba's cache says so, in one line; the next one finds all compiled."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run([sys.executable, "-c", _FIT], env=environment, capture_output=True, text=True, check=True).stderr
        for _ in range(2)
    ]
    assert said[0].startswith("compiling loops, once")
    assert said[0].count("compiling") == 1
    assert said[1] == ""
