"""Degrees: their noise, and what a server reads off noisy ones."""
