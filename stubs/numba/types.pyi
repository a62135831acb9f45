from typing import Any

float64: Any
int32: Any
int64: Any
uint64: Any
void: Any

def Array(dtype: Any, ndim: int, layout: str) -> Any: ...
def UniTuple(dtype: Any, count: int) -> Any: ...
