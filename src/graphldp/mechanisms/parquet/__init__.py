"""One graph too large for memory: Parquet files in, Parquet files out."""

from graphldp.mechanisms.parquet.passes import Written, randomize_parquet

__all__ = ["Written", "randomize_parquet"]
