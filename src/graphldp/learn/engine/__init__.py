"""The engine: packed graphs, the network's layers and kernels, and training."""
