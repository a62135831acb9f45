"""Exact draws from the operating system's entropy. Nothing here is kept or sent."""
