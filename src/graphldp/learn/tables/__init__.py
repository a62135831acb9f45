"""A graph as a row of numbers, and the classifiers on such rows."""
