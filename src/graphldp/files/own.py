"""A class of your own, by name: ``package.module:Class`` or ``path/to/file.py:Class``.

A file is run like any Python program, so name only files that you would run. Its module is called after the file and
its content, as in ``own_mechanism@3f2a91c07b5e``: what is drawn with another version of the file has another name.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from graphldp.errors import ParameterError, bad_parameter


def is_reference(name: str) -> bool:
    """Whether a name is one of a class of one's own, and not of a table."""
    return ":" in name


def load_class(reference: str, base: type, parameter: str) -> type[Any]:
    """The class of a reference.

    Args:
        reference: ``module:Class`` or ``file.py:Class``.
        base: what the class must be a kind of.
        parameter: what the reference was given for, for messages.

    Raises:
        ParameterError: where there is no such file, module or class, or it cannot be loaded.
    """
    source, _, name = reference.rpartition(":")
    module = _from_file(Path(source), parameter) if source.endswith(".py") else _imported(source, parameter)
    found = getattr(module, name, None)
    if not isinstance(found, type) or not issubclass(found, base) or inspect.isabstract(found):
        raise bad_parameter(parameter, "graphldp", f"a whole kind of {base.__name__} in {source}", name)
    return found


def loaded_class(reference: str, base: type, parameter: str) -> type[Any]:
    """The class of a reference that was loaded before, as :func:`reference_of` names it. Runs no code.

    For references that come from a file of results or of cells, which nobody may have read before.
    """
    source, _, name = reference.rpartition(":")
    found = getattr(sys.modules.get(source), name, None)
    if not isinstance(found, type) or not issubclass(found, base):
        raise bad_parameter(parameter, "graphldp", "one that is loaded: name its file in the command", reference)
    return found


def reference_of(kind: type) -> str:
    """How a class that is in no table is called."""
    return f"{kind.__module__}:{kind.__qualname__}"


def _from_file(path: Path, parameter: str) -> ModuleType:
    try:
        content = path.read_bytes()
    except OSError:
        raise bad_parameter(parameter, "graphldp", "a class in a file that exists", str(path)) from None
    name = f"{path.stem}@{hashlib.sha256(content).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # before it runs, as import does: a dataclass looks its module up
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)  # noqa: S102
    except Exception as error:
        del sys.modules[name]
        raise _failed(str(path), error) from error
    return module


def _imported(name: str, parameter: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise bad_parameter(parameter, "graphldp", "a class in a module that can be imported", name) from None
    except Exception as error:
        raise _failed(name, error) from error


def _failed(source: str, error: Exception) -> ParameterError:
    return ParameterError(f"{source} cannot be loaded: {type(error).__name__}: {error}")
