"""Operators: their log, their jobs and what comes of them, and how they sign in."""
