"""torch_geometric warns of its own deprecated calls while it is imported; only that is let pass."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import torch_geometric.loader
    import torch_geometric.nn  # noqa: F401
