"""Every error that graphldp raises on purpose.

::

    GraphLDPError
    ├── ParameterError (ValueError)       an argument is out of its range
    │   ├── BudgetError                   ε cannot be split as asked
    │   ├── BusyError                     another job is under way
    │   └── ChangedError                  somebody else changed it since it was looked at
    ├── DataError (ValueError)            graphs, reports or labels that break their invariants
    │   ├── FormatError                   a file that is not what it should be: names file and line
    │   └── WireError                     bytes or JSON that are no message of the wire, and why
    ├── ClientError (RuntimeError)        the client refuses: drawn before, over the cap, another list, another roster
    ├── DatasetNotFoundError (LookupError)  no folder, archive or download holds the dataset
    ├── DownloadError (OSError)           a download failed or arrived damaged
    ├── ForbiddenError (PermissionError)  somebody's role does not allow what she asks for
    ├── MissingExtraError (ImportError)   an optional part of graphldp is not installed
    ├── PlatformError (OSError)           a part that runs on Linux and macOS alone
    ├── SendError (OSError)               the collector was not reached, or refused what was sent
    ├── StoreError (OSError)              the collector's database is away, full or of another version
    │   └── DamagedError                  a row holds what its column cannot
    └── TrainingError (ArithmeticError)   a training went astray: its loss is not a number

A message never repeats private data: it names counts, positions and public parameters, not edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from traceback import walk_tb
from types import TracebackType
from typing import Any


class GraphLDPError(Exception):
    """The root of the tree: catch this to catch everything graphldp raises on purpose."""


class ParameterError(GraphLDPError, ValueError):
    """An argument is out of its range."""


class BudgetError(ParameterError):
    """A budget that cannot be split as asked."""


class BusyError(ParameterError):
    """Another job is under way; nothing was done."""


class ChangedError(ParameterError):
    """Somebody else changed it since it was looked at; nothing was done."""


class DataError(GraphLDPError, ValueError):
    """Graphs, reports or labels break their invariants."""


class FormatError(DataError):
    """A file is not what it should be."""


class WireError(DataError):
    """Bytes or JSON that are no message of the wire."""


class ClientError(GraphLDPError, RuntimeError):
    """The client refuses, to keep its user's promise."""


class SendError(GraphLDPError, OSError):
    """The collector was not reached, or refused what was sent."""


class DatasetNotFoundError(GraphLDPError, LookupError):
    """No folder, archive or download holds the dataset."""


class DownloadError(GraphLDPError, OSError):
    """A download failed or arrived damaged."""


EXTRAS: dict[str, tuple[str, ...]] = {
    "draw": ("llvmlite", "networkx", "numba", "numpy", "scipy"),
    "learn": ("sklearn", "threadpoolctl", "torch", "torch_geometric"),
    "tensorboard": ("tensorboard",),
    "plots": ("matplotlib", "pandas"),
    "client": ("cryptography", "httpx"),
    "serve": (
        *("alembic", "anyio", "cryptography", "fastapi", "h11", "jinja2", "numpy", "prometheus_client", "pydantic"),
        *("scipy", "segno", "sqlalchemy", "starlette", "uvicorn"),
    ),
    "postgres": ("psycopg",),
    "oidc": ("httpx", "joserfc"),
    "otel": ("opentelemetry",),
    "ray": ("pyarrow", "ray"),
}
"""The packages that each extra of pyproject.toml brings, by the names under which they are imported."""

_OF_PARTS = {"collector": "serve", "learn": "learn"}
_POSIX = ("fcntl", "resource")


class ForbiddenError(GraphLDPError, PermissionError):
    """Somebody's role does not allow what she asks for."""


class MissingExtraError(GraphLDPError, ImportError):
    """An optional part of graphldp is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        """Say which extra holds ``what``."""
        super().__init__(f"{what} needs an optional part: pip install 'graphldp[{extra}]'.")


class PlatformError(GraphLDPError, OSError):
    """A part of graphldp does not run on this system."""


class StoreError(GraphLDPError, OSError):
    """The collector's database is away, full or of another version."""


class DamagedError(StoreError):
    """The collector's database is damaged: a row holds what its column cannot."""


class Described(str):
    """A description of what was given, shown without quotes: for values that are long or private."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class TrainingError(GraphLDPError, ArithmeticError):
    """A training went astray: its loss is not a number."""


def bad_parameter(name: str, owner: str, must_be: str, got: object) -> ParameterError:
    """Build the one form of message for a bad argument."""
    return ParameterError(f"The '{name}' parameter of {owner} must be {must_be}. Got {got!r} instead.")


BETWEEN = "a number between 0 and 1, both excluded"


def check_number(value: Any, name: str, owner: str, must_be: str, fits: Callable[[Any], bool]) -> None:
    """Refuse a parameter that is no number, such as True, or one that does not fit."""
    if not isinstance(value, Real) or isinstance(value, bool) or not fits(value):
        raise bad_parameter(name, owner, must_be, value)


def check_whole(value: Any, name: str, owner: str, least: int = 1) -> int:
    """A whole number, refused where it is none or too small."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise bad_parameter(name, owner, f"a whole number ≥ {least}", value)
    return int(value)


@contextmanager
def extra_named(what: str) -> Iterator[None]:
    """Say which extra, or which system, ``what`` needs where a module is not found inside the block."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in _POSIX:
            raise PlatformError(f"{what} needs Linux or macOS.") from None
        extra = _extra_of(package, error.__traceback__)
        raise (error if extra is None else MissingExtraError(what, extra)) from None


def _extra_of(package: str, trace: TracebackType | None) -> str | None:
    """The extra that brings a package: that of the part which asked for it, where others bring it too."""
    rooms = [(each.f_globals.get("__name__") or "").split(".")[1:2] for each, _ in walk_tb(trace)]
    for extra in [_OF_PARTS[room[0]] for room in rooms if room and room[0] in _OF_PARTS]:
        if package in EXTRAS[extra] or (extra == "learn" and package in EXTRAS["draw"]):
            return extra
    return next((extra for extra, packages in EXTRAS.items() if package in packages), None)
