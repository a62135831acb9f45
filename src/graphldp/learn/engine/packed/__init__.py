"""Packed graphs: how they are made, where they are kept, and how batches are gathered from them."""
