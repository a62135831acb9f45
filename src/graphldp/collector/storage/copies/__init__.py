"""What leaves the store as a file and comes back from one: backups, exports, and whether all of it is whole."""
