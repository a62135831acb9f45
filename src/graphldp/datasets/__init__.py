"""Graphs to work with: datasets of the TU collection, one edge list of many networks, and two embedded generators."""
