"""Mechanisms for attributes: what users tell about themselves, and about their friends by group."""
