"""Datasets of torch_geometric that hand out graphs in two ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data, Dataset, InMemoryDataset


class FromDisk(Dataset):
    """Reads a file at each access, so the same graph comes as new objects."""

    def __init__(self, folder: Path, transform: Callable[[Any], Any]) -> None:
        super().__init__(None, transform)
        self.folder = folder

    def len(self) -> int:
        return 3

    def get(self, idx: int) -> Data:
        return Data.from_dict(torch.load(self.folder / f"{idx}.pt"))


class InMemory(InMemoryDataset):
    """Holds its graphs, and hands out its own tensors."""

    def __init__(self, data: list[Data], transform: Callable[[Any], Any]) -> None:
        super().__init__(None, transform)
        self.data, self.slices = self.collate(data)
