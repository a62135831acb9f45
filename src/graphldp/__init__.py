"""Learn from social graphs without seeing anyone's friends.

The public names stand in ``__init__.pyi``. Each is loaded when it is first used, so that ``import graphldp`` loads
neither torch nor numba.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

__version__ = "0.1.0"
with open(f"{__file__}i", encoding="utf-8") as _stub:
    _HOMES = {name: home for home, name in re.findall(r"(?m)^    from (\S+) import (\w+)", _stub.read())}
__all__ = sorted(_HOMES, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graphldp' has no attribute {name!r}")
    from graphldp.errors import extra_named

    with extra_named(f"graphldp.{name}"):
        home = import_module(_HOMES[name])
        value = vars(home)[name] if name in vars(home) else import_module(f"{_HOMES[name]}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
