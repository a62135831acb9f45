"""Cells computed in this process, for tests of what becomes of them: a worker takes seconds to start."""

from __future__ import annotations

import pytest

from graphldp.experiments.engines.local import HereEngine
from graphldp.experiments.runs import runner


def in_this_process(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(runner, "LocalEngine", lambda *_, **__: HereEngine())
