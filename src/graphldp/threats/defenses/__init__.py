"""Defenses of a server against users who lie: whom it flags, and how sure it is."""
