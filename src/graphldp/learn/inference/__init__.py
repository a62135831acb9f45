"""Inference from reports about the true graph: posteriors, denoised graphs, the β-model."""
