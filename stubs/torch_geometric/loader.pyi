from collections.abc import Iterator, Sequence
from multiprocessing.context import BaseContext
from typing import Any

from torch_geometric.data import Data, Dataset

class DataLoader:
    def __init__(
        self,
        dataset: Dataset | Sequence[Data],
        batch_size: int = 1,
        shuffle: bool = False,
        *,
        num_workers: int = 0,
        multiprocessing_context: BaseContext | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
