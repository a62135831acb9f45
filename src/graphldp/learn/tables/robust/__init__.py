"""Classifiers that expect liars: votes of bounded weight, labels that hang on no two users, and promises."""
