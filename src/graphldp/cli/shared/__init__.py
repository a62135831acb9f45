"""What commands share: options, where data comes from, tables and progress on a terminal."""
