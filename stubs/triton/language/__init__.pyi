from typing import Any

tensor = Any
constexpr = Any

def __getattr__(name: str) -> Any: ...
