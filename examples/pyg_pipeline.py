"""Private edges in a PyTorch Geometric pipeline: one transform, and every layer after it sees noisy lists.

Run: python examples/pyg_pipeline.py
"""

import torch
from torch import Tensor
from torch_geometric.data import Batch, InMemoryDataset
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GIN, global_mean_pool
from torch_geometric.transforms import BaseTransform

import graphldp as gl


class Threads(InMemoryDataset):
    """Stands for any dataset; TUDataset("data", "REDDIT-BINARY", pre_transform=private) works the same way."""

    def __init__(self, pre_transform: BaseTransform) -> None:
        super().__init__(None, pre_transform=pre_transform)
        graphs = gl.synthetic.threads(num_graphs=200, seed=0).to_pyg()
        self.data, self.slices = self.collate([pre_transform(data) for data in graphs])


def main() -> None:
    # Three lines: a mechanism (n_max, the size of the largest graph, is public), the transform, the dataset.
    mechanism = gl.DPRR(epsilon=2.0, n_max=1000)
    private = gl.pyg.Randomize(mechanism, seed=0)
    dataset = Threads(pre_transform=private)
    print(dataset[0])

    # The rest is plain PyTorch Geometric; here the noisy degree is each user's only feature.
    torch.manual_seed(0)
    train, test = dataset[:150], dataset[150:]
    model = GIN(in_channels=1, hidden_channels=16, num_layers=2, out_channels=2, norm="batch_norm")
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)

    def scores(batch: Batch) -> Tensor:
        feature = torch.log1p(batch.noisy_degree.clamp(min=0))[:, None]
        return global_mean_pool(model(feature, batch.edge_index), batch.batch)

    for _epoch in range(40):
        for batch in DataLoader(train, batch_size=32, shuffle=True):
            optimizer.zero_grad()
            torch.autograd.backward(torch.nn.functional.cross_entropy(scores(batch), batch.y))
            optimizer.step()
    model.eval()
    batch = next(iter(DataLoader(test, batch_size=len(test))))
    with torch.no_grad():
        right = scores(batch).argmax(dim=1) == batch.y
    print(f"accuracy on {len(test)} threads: {right.float().mean():.3f}")


if __name__ == "__main__":
    main()
