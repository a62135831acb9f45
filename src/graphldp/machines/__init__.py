"""The machines that work is done on: this one, and a Ray cluster."""
