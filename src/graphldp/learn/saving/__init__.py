"""A trained model as a file: written, read again, and where it comes from."""
