from collections.abc import Iterator, Sequence
from typing import Any

from torch_geometric.data import Data

class DataLoader:
    def __init__(self, dataset: Sequence[Data], batch_size: int = 1, shuffle: bool = False) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
