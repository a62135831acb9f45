"""What users tell about themselves, and about their friends by group."""
