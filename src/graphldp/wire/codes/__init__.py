"""How numbers, counts and sorted positions become few bytes, and numbers again."""
