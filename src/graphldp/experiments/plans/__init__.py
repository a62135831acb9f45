"""Plans of what is computed: the tables and figures as data, and the cells that they need."""
