"""Fast drawing: streams of random words, and the loops that turn them into noise and lists."""
