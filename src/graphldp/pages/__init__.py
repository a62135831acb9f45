"""Pictures, tables and one page from the results."""
