"""A plugin for pytest that takes away what Windows does not have: ``-p tests.project.no_posix``.

Modules for graphldp alone, some functions for everybody.
"""

import builtins
import multiprocessing.context
import os
import signal
from typing import Any

POSIX = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty")
_plain = builtins.__import__


def _found(name: str, globals: Any = None, *more: Any, **named: Any) -> Any:
    if name in POSIX and str((globals or {}).get("__name__")).startswith("graphldp"):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return _plain(name, globals, *more, **named)


builtins.__import__ = _found
del os.fork, os.mkfifo, signal.pthread_kill
for method in ("fork", "forkserver"):
    vars(multiprocessing.context)["_concrete_contexts"].pop(method)
