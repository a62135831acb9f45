"""Learning from reports: graph neural networks on packed graphs, and what is compared with them."""
