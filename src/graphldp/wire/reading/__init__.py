"""How messages are read: byte by byte, as strict JSON, or many reports at once."""
