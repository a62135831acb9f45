"""Files that leave the store and come back: backups, exports, and whether all of it is whole."""
