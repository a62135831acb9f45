"""A plugin for pytest in which graphldp finds no module that Windows does not have: ``-p tests.project.no_posix``."""

import builtins
from typing import Any

POSIX = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty")
_plain = builtins.__import__


def _found(name: str, globals: Any = None, *more: Any, **named: Any) -> Any:
    if name in POSIX and str((globals or {}).get("__name__")).startswith("graphldp"):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return _plain(name, globals, *more, **named)


builtins.__import__ = _found
