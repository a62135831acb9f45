"""Processes that end with the one that started them, also where that one was killed and could tell nobody."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time


def end_with_input() -> None:
    """End this process as SIGTERM would once its standard input ends: whoever held the other end is gone."""

    def wait() -> None:
        sys.stdin.buffer.read()
        while True:  # a server that is only starting may not listen to signals yet
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.5)

    threading.Thread(target=wait, daemon=True).start()


def end_with_parent() -> None:
    """End this worker of a pool at once when the pool's process is gone: it would wait for work forever."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
