"""What training is measured against: the same GIN, batches and optimiser, written the way people write them today.

Both have one node per user. The first is torch_geometric's own example (DataLoader, GINConv); the second pads the
graphs of a batch to one size and multiplies dense adjacency matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from graphldp.neighbour_lists import NeighbourLists

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from graphldp.learn.engine.gin import ModelSpec

Step = Callable[[], None]


class GeometricEpochs:
    """torch_geometric's DataLoader and GINConv on a device."""

    def __init__(
        self, lists: NeighbourLists, spec: ModelSpec, batch_size: int, device: torch.device | None = None
    ) -> None:
        import torch
        from torch_geometric.data import Data
        from torch_geometric.loader import DataLoader

        graphs = []
        for g, (first, last) in enumerate(zip(lists.graph_ptr[:-1], lists.graph_ptr[1:], strict=True)):
            source = torch.tensor(lists.indices[lists.indptr[first] : lists.indptr[last]], dtype=torch.long)
            target = torch.repeat_interleave(torch.from_numpy(np.diff(lists.indptr[first : last + 1])))
            label = 0 if lists.labels is None else int(lists.labels[g])
            graphs.append(Data(x=torch.ones(last - first, 1), edge_index=torch.stack((source, target)), y=label))
        self._spec, self._device = spec, device or torch.device("cpu")
        self._model = _modules(spec, geometric=True)
        self._model["all"].to(self._device)
        self._optimizer = torch.optim.Adam(self._model["all"].parameters(), lr=0.01)
        self._loader = DataLoader(graphs, batch_size=batch_size, shuffle=True)

    def steps(self) -> Iterator[Step]:
        """One epoch, a step at a time; each step fetches its batch too."""
        batches = iter(self._loader)
        for _ in range(len(self._loader)):
            yield partial(self._step, batches)

    def epoch(self) -> None:
        """One epoch."""
        for step in self.steps():
            step()

    def _step(self, batches: Iterator[Any]) -> None:
        from torch_geometric.nn import global_mean_pool

        data = next(batches).to(self._device)
        self._optimizer.zero_grad()
        h, size = data.x, data.num_graphs
        pooled = [global_mean_pool(h, data.batch, size)]
        for conv, norm in zip(self._model["convs"], self._model["norms"], strict=True):
            h = norm(conv(h, data.edge_index)).relu()
            pooled.append(global_mean_pool(h, data.batch, size))
        _learn(self._model, pooled, data.y, self._spec, self._optimizer)


def dense_steps(lists: NeighbourLists, spec: ModelSpec, batch_size: int) -> Iterator[Step]:
    """One epoch on padded dense adjacency matrices, a step at a time; each step builds its matrices too."""
    import torch

    model = _modules(spec, geometric=False)
    optimizer = torch.optim.Adam(model["all"].parameters(), lr=0.01)
    order = np.random.default_rng(0).permutation(lists.num_graphs)

    def step(ids: Any) -> None:
        some = lists.subset(ids)
        labels = torch.tensor(np.zeros(len(some)) if some.labels is None else some.labels).long()
        graph, user = torch.from_numpy(some.graph_of_user), torch.from_numpy(some.local_users)
        adjacency = torch.zeros(len(some), some.n_max, some.n_max)
        owner = torch.repeat_interleave(torch.from_numpy(some.degrees))
        adjacency[graph[owner], user[owner], torch.tensor(some.indices).long()] = 1
        optimizer.zero_grad()
        h = torch.zeros(len(some), some.n_max, 1)
        h[graph, user] = 1
        sizes = torch.from_numpy(some.sizes).clamp(min=1)[:, None]
        pooled = [h.sum(1) / sizes]
        for conv, norm in zip(model["convs"], model["norms"], strict=True):
            sums = h + adjacency @ h
            h = torch.zeros(len(some), some.n_max, spec.hidden).index_put(
                (graph, user), norm(conv(sums[graph, user])).relu()
            )
            pooled.append(h.sum(1) / sizes)
        _learn(model, pooled, labels, spec, optimizer)

    for start in range(0, lists.num_graphs, batch_size):
        yield partial(step, order[start : start + batch_size])


def _modules(spec: ModelSpec, *, geometric: bool) -> dict[str, Any]:
    import torch
    from torch import nn

    torch.manual_seed(0)

    def mlp(width: int) -> nn.Module:
        hidden = spec.hidden
        return nn.Sequential(nn.Linear(width, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, hidden))

    convs = [mlp(spec.hidden if k else 1) for k in range(spec.convolutions)]
    if geometric:
        from torch_geometric.nn import GINConv

        convs = [GINConv(conv) for conv in convs]
    norms = [nn.BatchNorm1d(spec.hidden) for _ in convs]
    heads = [nn.Linear(spec.hidden if k else 1, spec.num_classes) for k in range(spec.layers)]
    return {"convs": convs, "norms": norms, "heads": heads, "all": nn.ModuleList([*convs, *norms, *heads])}


def _learn(model: dict[str, Any], pooled: list[Tensor], labels: Tensor, spec: ModelSpec, optimizer: Any) -> None:
    import torch
    from torch.nn.functional import cross_entropy, dropout

    scores = [dropout(head(each), spec.dropout) for head, each in zip(model["heads"], pooled, strict=True)]
    torch.autograd.backward(cross_entropy(torch.stack(scores).sum(0), labels))
    optimizer.step()
