"""Files: how they are written whole, and what those from elsewhere may ask for."""
