"""A Ray cluster: the one at an address, or one of this machine, started for a run and stopped after it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graphldp.errors import GraphLDPError, extra_named


def require_ray() -> Any:
    """The ray module; an error that says how to install it where it is missing."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # a task without GPUs leaves the variables alone
    with extra_named("--engine ray"):
        import ray
    return ray


@contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """The ray module, connected to a cluster: the one at an address, the one in use, or a new one of this machine.

    Raises:
        MissingExtraError: where ray is not installed.
        GraphLDPError: where the address does not answer.
    """
    ray = require_ray()
    new = not ray.is_initialized()
    try:
        _check_address(address or "")
        if new:
            ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR")
    except (OSError, RuntimeError, ValueError) as error:
        where = f"the cluster at {address}" if address else "a local Ray cluster"
        raise GraphLDPError(f"Ray could not reach or start {where}: {str(error).splitlines()[0]}") from error
    try:
        yield ray
    finally:
        if new:
            ray.shutdown()


def _check_address(address: str) -> None:
    """Check that a cluster answers at an address, and fail at once if not: Ray itself tries for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
