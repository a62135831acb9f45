from collections.abc import Callable
from typing import Any, TypeVar

from numba import types as types

_F = TypeVar("_F", bound=Callable[..., Any])

def njit(
    *,
    nogil: bool = ...,
    cache: bool = ...,
    inline: str = ...,
    forceinline: bool = ...,
    error_model: str = ...,
    fastmath: set[str] = ...,
    _nrt: bool = ...,
) -> Callable[[_F], _F]: ...
