"""Measurements that ``graphldp bench`` runs: absolute numbers, and ratios to what people use today, in one run."""
