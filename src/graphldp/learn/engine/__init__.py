"""The engine: packed graphs, batches, layers and kernels, and training."""
