"""The API for operators' programs, by key, and downloads."""
