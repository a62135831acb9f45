"""One training on a CPU."""
