"""The codes of a user, before a model looks at any list: one-hot blocks, each the bin of one number.

All of it is in the reports at no further ε. Bins are wide, so that users with nearly the same numbers start with the
same colour (:mod:`graphldp.learn.engine.packed.colours`) and are computed once; and their bounds are constants, fitted
to nothing, so that a graph that comes later is read in the same way.

    constant        1
    degree          the length of the reported list, the last position for all longer ones
    noisy-degree    d*
    size            n of her graph
    profile         four blocks: d*, the length of the list, how many list this user, and n of her graph
    columns         d*; then come the user's columns, plain numbers (:mod:`graphldp.learn.engine.features.columns`)

Where reports carry no d*, the length of the list stands in for it.
"""

from __future__ import annotations

import torch
from torch import Tensor

DEGREE_BOUNDS = (0.5, 1.5, 2.5, 4.5, 8.5, 16.5, 32.5, 64.5, 128.5, 256.5, 512.5, 1024.5)  # a bin ends at its bound
SIZE_BOUNDS = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
_DEGREE, _SIZE = len(DEGREE_BOUNDS) + 1, len(SIZE_BOUNDS) + 1


def widths(features: str, num_features: int) -> tuple[int, ...]:
    """The length of each block; ``num_features`` is that of the list's one-hot length."""
    return {
        "constant": (1,),
        "degree": (num_features,),
        "noisy-degree": (_DEGREE,),
        "size": (_SIZE,),
        "profile": (_DEGREE, _DEGREE, _DEGREE, _SIZE),
        "columns": (_DEGREE,),
    }[features]


def input_width(features: str, num_features: int) -> int:
    """The length of the input feature: all blocks, and the columns, of which there are ``num_features``."""
    return sum(widths(features, num_features)) + (num_features if features == "columns" else 0)


def bins(features: str, num_features: int, released: Tensor, length: Tensor, target: Tensor, size: Tensor) -> Tensor:
    """The bin of each user in each block, int64 [users, blocks].

    Args:
        features: see above.
        num_features: see :func:`widths`.
        released: [users], d*, or what stands in for it.
        length: int64 [users], of the reported list.
        target: int64 [entries], the lists, with users numbered over all graphs.
        size: int64 [users], n of the user's graph.
    """
    if features == "constant":
        found = [torch.zeros_like(length)]
    elif features == "degree":
        found = [length.clamp(max=num_features - 1)]
    elif features in ("noisy-degree", "columns"):
        found = [_binned(released, DEGREE_BOUNDS)]
    else:
        found = [_binned(size, SIZE_BOUNDS)]
        if features == "profile":
            received = torch.bincount(target, minlength=len(length))
            found = [*(_binned(each, DEGREE_BOUNDS) for each in (released, length, received)), *found]
    return torch.stack(found, dim=1)


def _binned(values: Tensor, bounds: tuple[float, ...]) -> Tensor:
    return torch.bucketize(values.double(), torch.tensor(bounds, dtype=torch.float64, device=values.device))
