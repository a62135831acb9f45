"""What members, their clients and relays ask for: the API, the page, and how reports are taken."""
