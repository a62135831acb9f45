"""How a device talks to a collector: sealed where it wants, within a time, the same bytes on every try."""
