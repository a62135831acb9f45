"""What is collected: communities, who is invited, what was reported, and how it leaves for good."""
