"""Where cells are computed: local processes, a Ray cluster, a far machine."""
