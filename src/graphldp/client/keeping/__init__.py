"""What a device keeps: its reports, its communities, and the ledger of what was spent."""
