"""Runs that a user starts: a figure, a comparison, a training, an evaluation, the demo. All keep rows."""
