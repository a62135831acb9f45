from typing import Any

from torch import Tensor

class Data:
    edge_index: Tensor | None
    x: Tensor | None
    y: Any
    num_nodes: int | None
    def __init__(
        self,
        x: Tensor | None = None,
        edge_index: Tensor | None = None,
        edge_attr: Tensor | None = None,
        y: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __getattr__(self, name: str) -> Any: ...
    def __contains__(self, name: str) -> bool: ...
    def keys(self) -> list[str]: ...
