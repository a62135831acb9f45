"""Telling a graph's second visit from another graph that looks the same.

A transform is handed one graph at a time and no name for it. Two graphs of a dataset may well be equal (stars of one
size), so equal lists alone do not mean the same graph; and a dataset that reads its files at each access hands out new
objects for the same graph. Of two visits with equal lists, then:

- where a tensor of the first visit is handed in again, they are one graph (an in-memory dataset hands out its own);
- where the first visit's tensors live on and none is handed in, somebody holds both: they are two graphs;
- where the first visit's tensors are gone, it cannot be told, and the cautious answer is one graph.

The third case refuses equal graphs that are built one by one and thrown away. Put them into a list first.
"""

from __future__ import annotations

import hashlib
import os
import weakref
from collections.abc import Sequence

import torch

from graphldp.errors import GraphLDPError
from graphldp.neighbour_lists import NeighbourLists


class DrawnOnce:
    """The graphs that were drawn so far. Lists are kept as keyed digests, with a key that never leaves this object."""

    def __init__(self) -> None:
        self._key = os.urandom(32)
        self._visits: dict[bytes, list[list[weakref.ref[torch.Tensor]]]] = {}

    def check_in(self, tensors: Sequence[torch.Tensor], graph: NeighbourLists) -> None:
        """Remember a graph, and the very objects that hold it; an error where it was here before."""
        digest = hashlib.blake2b(key=self._key, digest_size=16)
        digest.update(graph.indptr.tobytes())
        digest.update(graph.indices.tobytes())
        visits = self._visits.setdefault(digest.digest(), [])
        handed_in = {id(tensor) for tensor in tensors}
        for visit in visits:
            alive = [tensor for ref in visit if (tensor := ref()) is not None]
            if not alive or any(id(tensor) in handed_in for tensor in alive):
                raise GraphLDPError(
                    "This graph was drawn before, and k draws of one graph cost k·ε. Use Randomize as pre_transform, "
                    "which draws each graph once and stores the result, not as transform, which draws at every access."
                )
        visits.append([weakref.ref(tensor) for tensor in tensors])
