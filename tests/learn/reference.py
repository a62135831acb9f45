"""The same models from plain torch_geometric modules, one node per user: what the engine must agree with."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from tests.learn.samples import told_of
from tests.values import some
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, GINConv, MessagePassing, SAGEConv, global_add_pool, global_mean_pool

from graphldp.learn.engine.features.codes import DEGREE_BOUNDS, SIZE_BOUNDS
from graphldp.learn.engine.features.summaries import smooth_table
from graphldp.learn.engine.gin import CUT, ModelSpec
from graphldp.learn.engine.packed.packing import LEVELS, posterior_levels
from graphldp.neighbour_lists import NeighbourLists
from graphldp.reports import Reports


def data_of(lists: NeighbourLists, spec: ModelSpec, dtype: torch.dtype) -> list[Data]:
    """One Data per graph; messages flow from j to i for each j in i's list."""
    graphs = []
    degrees = lists.noisy_degree if isinstance(lists, Reports) else None
    summaries = torch.from_numpy(smooth_table(lists)[:, : spec.summaries]).to(dtype)
    level = posterior_levels(lists) if spec.weights == "posterior" else np.zeros(lists.num_entries)
    weight = torch.from_numpy(np.where(level < LEVELS, 0.5**level, 0.0)).to(dtype)
    for graph, (first, last) in enumerate(zip(lists.graph_ptr[:-1], lists.graph_ptr[1:], strict=True)):
        degree = np.diff(lists.indptr[first : last + 1])
        source = torch.tensor(lists.indices[lists.indptr[first] : lists.indptr[last]], dtype=torch.long)
        target = torch.from_numpy(np.repeat(np.arange(last - first), degree))
        n = int(last - first)
        if spec.features in ("constant", "degree"):
            blocks = [(np.minimum(degree, spec.num_features - 1), spec.num_features)]
        else:
            noisy = degree if degrees is None else degrees[first:last]
            numbers = [noisy, degree, np.bincount(source.numpy(), minlength=n)]
            blocks = [(np.searchsorted(DEGREE_BOUNDS, each), len(DEGREE_BOUNDS) + 1) for each in numbers]
            blocks += [(np.full(n, np.searchsorted(SIZE_BOUNDS, n)), len(SIZE_BOUNDS) + 1)]
            several = {"size": blocks[3:], "profile": blocks}
            blocks = several.get(spec.features, blocks[:1])
        codes = [nn.functional.one_hot(torch.from_numpy(code).long(), width) for code, width in blocks]
        x = torch.cat(codes, dim=1).to(dtype)
        if spec.features == "columns":
            x = torch.cat((x, torch.from_numpy(told_of(lists)[first:last]).to(dtype)), dim=1)
        edge_index, own = torch.stack((source, target)), summaries[graph : graph + 1]
        weights = weight[lists.indptr[first] : lists.indptr[last]]
        graphs.append(Data(x=x, edge_index=edge_index, num_nodes=n, summaries=own, edge_weight=weights))
    return graphs


def batch_of(graphs: list[Data]) -> Batch:
    """Several graphs as one."""
    return Batch.from_data_list(graphs)


class BothWays(nn.Module):
    """The network of [x + Σ own list, Σ those who list her]."""

    def __init__(self, mlp: nn.Module) -> None:
        super().__init__()
        self.own, self.others = GINConv(nn.Identity()), GINConv(nn.Identity(), eps=-1.0)
        self.nn = mlp

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        both: Tensor = self.nn(torch.cat((self.own(x, edge_index), self.others(x, edge_index.flip(0))), dim=1))
        return both


class Weighted(MessagePassing):
    """The network of x + Σ weight · own list, and of those who list her where both are asked for."""

    def __init__(self, mlp: nn.Module, *, both: bool) -> None:
        super().__init__(aggr="add")
        self.nn, self.both = mlp, both

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor) -> Tensor:
        parts = [x + self.propagate(edge_index, x=x, edge_weight=edge_weight)]
        if self.both:
            parts.append(self.propagate(edge_index.flip(0), x=x, edge_weight=edge_weight))
        taken: Tensor = self.nn(torch.cat(parts, dim=1))
        return taken

    def message(self, x_j: Tensor, edge_weight: Tensor) -> Tensor:
        return edge_weight[:, None] * x_j


class Reference(nn.Module):
    convs: Any  # torch says of a part of a module only that it is a tensor or a module
    norms: Any
    heads: Any
    graph: Any
    running_mean: Tensor
    running_deviation: Tensor
    running_column_mean: Tensor
    running_column_deviation: Tensor

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__()
        self.spec = spec
        self.convs, self.norms, self.heads = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for k in range(1, spec.layers):
            width = spec.width if k == 1 else spec.hidden
            if spec.convolution == "gin":
                mlp = nn.Sequential(
                    nn.Linear(width * (2 if spec.directions == "both" else 1), spec.hidden),
                    nn.BatchNorm1d(spec.hidden),
                    nn.ReLU(),
                    nn.Linear(spec.hidden, spec.hidden),
                )
                both = spec.directions == "both"
                plain = BothWays(mlp) if both else GINConv(mlp)
                self.convs.append(plain if spec.weights == "none" else Weighted(mlp, both=both))
            else:
                self.convs.append({"gcn": GCNConv, "sage": SAGEConv}[spec.convolution](width, spec.hidden))
            self.norms.append(nn.BatchNorm1d(spec.hidden))
        for k in range(spec.layers):
            self.heads.append(nn.Linear(spec.hidden if k else spec.width, spec.num_classes))
        if spec.summaries:
            self.graph = nn.Sequential(
                nn.Linear(spec.summaries, spec.hidden),
                nn.ReLU(),
                nn.Dropout(spec.dropout),
                nn.Linear(spec.hidden, spec.num_classes),
            )
            self.register_buffer("running_mean", torch.zeros(spec.summaries))
            self.register_buffer("running_deviation", torch.ones(spec.summaries))
        if spec.features == "columns":
            self.register_buffer("running_column_mean", torch.zeros(spec.num_features))
            self.register_buffer("running_column_deviation", torch.ones(spec.num_features))

    def forward(self, data: Batch) -> Tensor:
        pool = global_mean_pool if self.spec.readout == "mean" else global_add_pool
        x = some(data.x)
        if self.spec.features == "columns":
            blocks, columns = x.tensor_split([self.spec.width - self.spec.num_features], dim=1)
            x = torch.cat((blocks, (columns - self.running_column_mean) / self.running_column_deviation), dim=1)
        layers = [x]
        for conv, norm in zip(self.convs, self.norms, strict=True):
            weights = [data.edge_weight] if self.spec.weights == "posterior" else []
            x = norm(conv(x, data.edge_index, *weights)).relu()
            layers.append(x)
        scores = [head(pool(x, data.batch, data.num_graphs)) for head, x in zip(self.heads, layers, strict=True)]
        dropped = [nn.functional.dropout(each, self.spec.dropout, self.training) for each in scores]
        if self.spec.summaries:
            z = (data.summaries - self.running_mean) / self.running_deviation
            dropped.append(self.graph(z.clamp(-CUT, CUT)))
        return torch.stack(dropped).sum(0)

    def tensors(self, *, gradients: bool = False) -> dict[str, Tensor]:
        """Every parameter (or its gradient) and running statistic by the engine's names."""

        def read(tensor: Tensor) -> Tensor:
            return (some(tensor.grad) if gradients else tensor.detach()).clone()

        named: dict[str, Tensor] = {}
        for k, (conv, norm) in enumerate(zip(self.convs, self.norms, strict=True), start=1):
            if self.spec.convolution == "gin":
                linears, norms = [conv.nn[0], conv.nn[3]], [conv.nn[1], norm]
                pairs = [(read(linear.weight), read(linear.bias)) for linear in linears]
            elif self.spec.convolution == "gcn":
                norms, pairs = [norm], [(read(conv.lin.weight), read(conv.bias))]
            else:
                weight = torch.cat((read(conv.lin_l.weight), read(conv.lin_r.weight)), dim=1)
                norms, pairs = [norm], [(weight, read(conv.lin_l.bias))]
            for j, ((weight, bias), each) in enumerate(zip(pairs, norms, strict=True)):
                named |= {f"conv{k}.{j}.weight": weight, f"conv{k}.{j}.bias": bias}
                named |= {f"conv{k}.{j}.gamma": read(each.weight), f"conv{k}.{j}.beta": read(each.bias)}
                if not gradients:
                    named |= {
                        f"conv{k}.{j}.mean": each.running_mean.clone(),
                        f"conv{k}.{j}.var": each.running_var.clone(),
                    }
        for k, head in enumerate(self.heads):
            named |= {f"head{k}.weight": read(head.weight), f"head{k}.bias": read(head.bias)}
        if self.spec.summaries:
            for j, linear in enumerate((self.graph[0], self.graph[3])):
                named |= {f"graph.{j}.weight": read(linear.weight), f"graph.{j}.bias": read(linear.bias)}
            if not gradients:
                named |= {"graph.mean": self.running_mean.clone(), "graph.deviation": self.running_deviation.clone()}
        if self.spec.features == "columns" and not gradients:
            named["columns.mean"] = self.running_column_mean.clone()
            named["columns.deviation"] = self.running_column_deviation.clone()
        return named

    def load(self, stacked: dict[str, Tensor]) -> None:
        """Take parameters, and running statistics where given, from the engine's first model."""
        values = {name: value[0] for name, value in stacked.items()}
        with torch.no_grad():
            for k, (conv, norm) in enumerate(zip(self.convs, self.norms, strict=True), start=1):
                first = f"conv{k}.0"
                if self.spec.convolution == "gin":
                    norms = [conv.nn[1], norm]
                    for j, linear in enumerate((conv.nn[0], conv.nn[3])):
                        linear.weight.copy_(values[f"conv{k}.{j}.weight"])
                        linear.bias.copy_(values[f"conv{k}.{j}.bias"])
                elif self.spec.convolution == "gcn":
                    norms = [norm]
                    conv.lin.weight.copy_(values[f"{first}.weight"])
                    conv.bias.copy_(values[f"{first}.bias"])
                else:
                    norms = [norm]
                    left, right = values[f"{first}.weight"].chunk(2, dim=1)
                    conv.lin_l.weight.copy_(left)
                    conv.lin_r.weight.copy_(right)
                    conv.lin_l.bias.copy_(values[f"{first}.bias"])
                for j, each in enumerate(norms):
                    each.weight.copy_(values[f"conv{k}.{j}.gamma"])
                    each.bias.copy_(values[f"conv{k}.{j}.beta"])
                    if f"conv{k}.{j}.mean" in values:
                        each.running_mean.copy_(values[f"conv{k}.{j}.mean"])
                        each.running_var.copy_(values[f"conv{k}.{j}.var"])
            for k, head in enumerate(self.heads):
                head.weight.copy_(values[f"head{k}.weight"])
                head.bias.copy_(values[f"head{k}.bias"])
            if self.spec.summaries:
                for j, linear in enumerate((self.graph[0], self.graph[3])):
                    linear.weight.copy_(values[f"graph.{j}.weight"])
                    linear.bias.copy_(values[f"graph.{j}.bias"])
                if "graph.mean" in values:
                    self.running_mean.copy_(values["graph.mean"])
                    self.running_deviation.copy_(values["graph.deviation"])
            if "columns.mean" in values:
                self.running_column_mean.copy_(values["columns.mean"])
                self.running_column_deviation.copy_(values["columns.deviation"])

    def perturb(self, generator: torch.Generator) -> None:
        """Away from the starting values, so that every parameter matters."""
        with torch.no_grad():
            running = [buffer for name, buffer in self.named_buffers() if "running" in name]
            for tensor in [*self.parameters(), *running]:
                tensor += 0.3 * torch.rand(tensor.shape, generator=generator, dtype=torch.float64).to(tensor.dtype)
