"""Schema migrations, from the first version on: one file per step, never edited once released."""
