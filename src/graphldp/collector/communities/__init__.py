"""What a community is: its roster, the ε that it offers, and what may be shown of the reports that it holds."""
