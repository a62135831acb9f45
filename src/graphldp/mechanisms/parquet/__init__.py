"""One graph too large for memory: Parquet files in, Parquet files out."""

from graphldp.errors import extra_named

with extra_named("Parquet"):
    from graphldp.mechanisms.parquet.passes import Written as Written
    from graphldp.mechanisms.parquet.passes import randomize_parquet as randomize_parquet
    from graphldp.mechanisms.parquet.table import UserTable as UserTable
    from graphldp.mechanisms.parquet.table import read_reports as read_reports
