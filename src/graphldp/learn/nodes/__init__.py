"""Classes of single users, from public features and from what they report about their friends."""
