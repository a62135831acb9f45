from typing import Any

int32: Any
int64: Any
uint64: Any

def Array(dtype: Any, ndim: int, layout: str) -> Any: ...
def UniTuple(dtype: Any, count: int) -> Any: ...
