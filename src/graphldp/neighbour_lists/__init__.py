"""Neighbour lists of many graphs: what raw graphs and noisy reports have in common."""

from graphldp.neighbour_lists.lists import NO_NAMES, NeighbourLists

__all__ = ["NO_NAMES", "NeighbourLists"]
