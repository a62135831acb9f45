from collections.abc import Callable
from typing import Any

class FunctionTransformer:
    def __init__(self, func: Callable[..., Any] | None = None, **options: Any) -> None: ...
