"""What reports say about the true graph: posteriors, denoised graphs, degree distributions, counts of subgraphs."""
