"""The paper's grid of hyper-parameters, and the rule by which one of its points is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from graphldp.errors import bad_parameter

_LAYERS = {"github_stargazers": (1, 2, 3, 4)}  # where the paper's grid is another than for Reddit's threads


@dataclass(frozen=True)
class Grid:
    """All combinations of some values of four hyper-parameters; the defaults are the paper's for Reddit's threads."""

    layers: tuple[int, ...] = (2, 3, 4, 5)
    hidden: tuple[int, ...] = (16, 32, 64, 128)
    lr: tuple[float, ...] = (1e-4, 1e-3, 1e-2)
    dropout: tuple[float, ...] = (0.0, 0.5)

    def __post_init__(self) -> None:
        for name, values in vars(self).items():
            if not values:
                raise bad_parameter(name, "Grid", "at least one value", values)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for values in product(*vars(self).values()):
            yield dict(zip(vars(self), values, strict=True))

    def __len__(self) -> int:
        return len(self.layers) * len(self.hidden) * len(self.lr) * len(self.dropout)

    def __str__(self) -> str:
        return "; ".join(f"{name} {', '.join(f'{v:g}' for v in values)}" for name, values in vars(self).items())

    def on(self, dataset: str) -> Grid:
        """The points that the paper's grid for a dataset has too.

        For Github StarGazers the paper tries 1 to 4 layers, for the others 2 to 5. One layer is the input layer alone,
        which says the same of every graph when its feature is a constant and the readout a mean, so 2 to 4 are left.
        """
        return replace(self, layers=tuple(n for n in self.layers if n in _LAYERS.get(dataset, self.layers)))


def paper_grid(dataset: str) -> Grid:
    """The grid of Section 5.1 for a dataset."""
    return Grid().on(dataset)


def preference(val_accuracy: float, val_loss: float) -> tuple[float, float]:
    """A sort key, least for the point to choose: the best validation accuracy, then the lowest validation loss."""
    return -val_accuracy, val_loss
