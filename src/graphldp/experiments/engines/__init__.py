"""Engines that compute cells: local processes, a Ray cluster, a far machine."""
