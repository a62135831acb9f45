from typing import Any

uint64: Any
