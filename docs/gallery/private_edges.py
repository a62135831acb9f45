# %% [markdown]
# # Private edges in PyTorch Geometric
#
# *How do I make the edges of my pipeline private?*
#
# One transform replaces each graph's edges by what its users would report. `n_max`, the size of the largest graph, is
# public. Everything after it is plain PyTorch Geometric.

# %% tags=["remove-stderr"]
import torch
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GIN, global_mean_pool

import graphldp as gl

private = gl.pyg.Randomize(gl.DPRR(epsilon=2.0, n_max=1000), seed=0)
graphs = [private(data) for data in gl.synthetic.threads(num_graphs=400, seed=0).to_pyg()]
graphs[0]

# %% [markdown]
# The noisy number of friends comes along at no further ε. Here it is each user's only feature.


# %%
def scores(model, batch):
    feature = batch.noisy_degree[:, None].clamp(0).log1p()
    return global_mean_pool(model(feature, batch.edge_index), batch.batch)


torch.manual_seed(0)
model = GIN(in_channels=1, hidden_channels=16, num_layers=2, out_channels=2, norm="batch_norm")
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for batch in [batch for _ in range(80) for batch in DataLoader(graphs[:300], batch_size=32, shuffle=True)]:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(scores(model, batch), batch.y).backward()
    optimizer.step()
(batch,) = DataLoader(graphs[300:], batch_size=100)
print(f"{(scores(model.eval(), batch).argmax(1) == batch.y).float().mean():.0%} of 100 threads are labelled right")

# %% [markdown]
# [The guide](../guides/pyg.md) says what the transform passes on, and what it refuses.
