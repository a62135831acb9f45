from collections.abc import Callable, Iterator
from typing import Any

from torch_geometric.data import Data

class TUDataset:
    def __init__(
        self,
        root: str,
        name: str,
        *,
        transform: Callable[[Data], Data] | None = None,
        pre_transform: Callable[[Data], Data] | None = None,
        force_reload: bool = False,
        use_node_attr: bool = False,
        use_edge_attr: bool = False,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Data: ...
    def __iter__(self) -> Iterator[Data]: ...
    def __getattr__(self, name: str) -> Any: ...
