"""Classes of single users in the layout of PyTorch Geometric's Planetoid: public words, private friendships.

Run: python examples/node_classes.py
"""

import torch
from torch_geometric.data import Data

import graphldp as gl


def papers(users: int = 800, topics: int = 4, words: int = 120, seed: int = 0) -> Data:
    """Stands for Planetoid("data", "Cora")[0]: one graph with x, y and three masks."""
    draw = torch.Generator().manual_seed(seed)
    y = torch.randint(topics, (users,), generator=draw)
    chance = torch.full((topics, words), 0.04)
    for topic in range(topics):
        chance[topic, topic * 12 : topic * 12 + 12] = 0.12
    x = (torch.rand(users, words, generator=draw) < chance[y]).float()
    pairs = torch.randint(users, (2, 12 * users), generator=draw)
    friendly = torch.where(y[pairs[0]] == y[pairs[1]], 0.7, 0.05)
    kept = (pairs[0] != pairs[1]) & (torch.rand(pairs.shape[1], generator=draw) < friendly)
    part = torch.rand(users, generator=draw)
    masks = {"train_mask": part < 0.5, "val_mask": (part >= 0.5) & (part < 0.75), "test_mask": part >= 0.75}
    return Data(x=x, edge_index=pairs[:, kept], y=y, **masks)


def main() -> None:
    data = papers()
    masks = ("train_mask", "val_mask", "test_mask")
    graphs = gl.GraphSet.from_pyg([data], public=("x", "y"), ignore=masks)
    train, validation, test = (getattr(data, name).numpy() for name in masks)

    # What words alone say costs no ε, and makes the groups: everybody may know them.
    view = gl.FeatureView.of(graphs, train=train, validation=validation)
    right = view.users.classes[view.log_proba.argmax(axis=1)][test] == data.y.numpy()[test]
    print(f"accuracy by words alone: {right.mean():.3f}")

    # Each user counts her friends by group, with noise, on her own device.
    for epsilon in (0.5, 1.0, 2.0, 6.0):
        recipe = gl.recommended(epsilon, task="nodes")
        reports = recipe.mechanism.randomize(graphs.with_groups(view.groups), rng=0)
        recipe.classifier.fit(reports, train=train, validation=validation, view=view)
        accuracy = recipe.classifier.score(reports, users=test)
        print(f"accuracy at ε = {epsilon:g}, {type(recipe.mechanism).__name__}: {accuracy:.3f}")


if __name__ == "__main__":
    main()
