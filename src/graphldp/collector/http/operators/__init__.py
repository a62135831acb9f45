"""What operators and their programs ask for: the API by key, downloads, and the way in by OpenID Connect."""
