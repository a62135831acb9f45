"""How bytes leave the files is tested with those who delete: ``collecting/test_holdings.py``. Here is what is left."""

from __future__ import annotations

import pytest
from benchmarks.services import Postgres

from graphldp.collector.storage.database import open_engine
from graphldp.collector.storage.scrubbing import scrub
from graphldp.errors import StoreError


def test_a_connection_goes_back_with_its_limit(postgres: Postgres) -> None:
    engine = open_engine(postgres.create("limits"))
    with pytest.raises(StoreError, match="try again"):
        scrub(engine, "a_table_that_is_not_there")
    assert engine.pool.status().startswith("Pool size: 5  Connections in pool: 1 ")  # so the next one is the same
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SHOW statement_timeout").scalar_one() == "30s"
    engine.dispose()
