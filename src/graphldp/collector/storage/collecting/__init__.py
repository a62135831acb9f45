"""Communities, invitations and reports, and how they leave for good."""
