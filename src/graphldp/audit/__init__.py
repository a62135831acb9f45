"""Is the promise kept? Exact enumeration and Monte Carlo over the real code, not over a model of it."""
