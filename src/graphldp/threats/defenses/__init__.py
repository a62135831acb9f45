"""What a server can do about users who lie: whom it flags, and how sure it is."""
