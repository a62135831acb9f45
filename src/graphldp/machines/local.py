"""The machine that a cell ran on, and the memory that it took."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from graphldp.machines.memory import available, told

GIB = 1 << 30


@cache
def describe(device: str) -> dict[str, Any]:
    """The machine, in words and numbers, with ``"cpu"`` or a GPU that torch knows; no names of hosts or people."""
    found: dict[str, Any] = {
        "cpu": told("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": cores(),
        "memory_gb": round(total / GIB, 1) if (total := _total_memory()) else None,
        "system": platform.system(),
        "python": platform.python_version(),
        "gpu": None,
    }
    for package in ("graphldp", "torch", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    if device.startswith("cuda"):
        import torch

        found["gpu"] = torch.cuda.get_device_name(device)
    return found


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_memory(device: str = "cpu") -> int:
    """Bytes that can be taken now: of the GPU, or of the machine and the control group it runs in."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    left = available()
    return left if left is not None else _total_memory() or sys.maxsize


class PeakMemory:
    """The largest resident memory of this process, or the largest of the GPU, since :meth:`reset`."""

    def __init__(self, device: str) -> None:
        self._cuda = device.startswith("cuda")
        self.reset()

    def reset(self) -> None:
        """Forget the peak so far."""
        if self._cuda:
            import torch

            torch.cuda.reset_peak_memory_stats()
            return
        with suppress(OSError):  # not Linux, or a container without the right: the peak since the process began
            Path("/proc/self/clear_refs").write_text("5")

    def read(self) -> int:
        """The peak since then, in bytes."""
        if self._cuda:
            import torch

            return int(torch.cuda.max_memory_allocated())
        if most := told("/proc/self/status", "VmHWM"):
            return 1024 * int(most.split()[0])
        if sys.platform == "win32":
            return 0  # nor how much this process took
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def _total_memory() -> int | None:
    if sys.platform == "win32":
        return None  # Python does not say
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
