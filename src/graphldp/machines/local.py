"""What a cell ran on, and how much memory it took."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

GIB = 1 << 30


@cache
def describe(device: str) -> dict[str, Any]:
    """The machine, in words and numbers; no names of hosts or people.

    Args:
        device: ``"cpu"``, or a GPU that torch knows.
    """
    found: dict[str, Any] = {
        "cpu": _cpu(),
        "cores": cores(),
        "memory_gb": round(_total_memory() / GIB, 1),
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
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_memory(device: str = "cpu") -> int:
    """Bytes that can be taken now: of the GPU, or of the machine and the control group it runs in."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    free = _meminfo("MemAvailable") or _total_memory()
    limit, used = (_number(Path("/sys/fs/cgroup") / name) for name in ("memory.max", "memory.current"))
    return free if limit is None else max(min(free, limit - (used or 0)), 0)


class PeakMemory:
    """The largest resident memory of this process, or the largest of the GPU, since :meth:`reset`."""

    def __init__(self, device: str) -> None:
        self._cuda = device.startswith("cuda")
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        if self._cuda:
            import torch

            torch.cuda.reset_peak_memory_stats()
        elif Path("/proc/self/clear_refs").exists():
            try:
                Path("/proc/self/clear_refs").write_text("5")  # Linux: the high-water mark starts over
            except OSError:  # not allowed in some containers: the mark is then the process's own from its start
                return

    def read(self) -> int:
        """Bytes."""
        if self._cuda:
            import torch

            return int(torch.cuda.max_memory_allocated())
        status = Path("/proc/self/status")
        if status.exists():
            for line in status.read_text().splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _total_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _meminfo(name: str) -> int | None:
    info = Path("/proc/meminfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return None


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # no control groups, or "max": no limit
        return None
