"""One graph too large for memory: Parquet files in, Parquet files out."""

from graphldp.mechanisms.parquet.passes import Written, randomize_parquet
from graphldp.mechanisms.parquet.reading import read_reports
from graphldp.mechanisms.parquet.table import UserTable

__all__ = ["UserTable", "Written", "randomize_parquet", "read_reports"]
