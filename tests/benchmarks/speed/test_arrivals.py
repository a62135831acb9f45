"""What is measured of arriving reports: that it runs, with one collector and with two."""

from __future__ import annotations

import pytest
from benchmarks.services import MissingComponentError, postgres_binaries
from benchmarks.speed import arrivals


@pytest.mark.long
def test_rows_of_one_collector_and_of_two() -> None:
    try:
        postgres_binaries()
    except MissingComponentError as error:
        pytest.skip(str(error))
    rows = {row["what"]: row for row in arrivals.run(None, single=600, batched=4_000)}
    assert len(rows) == 6
    for many in ("one collector", "two collectors"):
        single, batched = rows[f"{many}, one by one"], rows[f"{many}, in batches"]
        assert min(single["collector_microseconds"], batched["collector_microseconds"]) > 0
        assert single["bytes_sent"] > batched["bytes_sent"] > 50
    assert rows["of it checking the bytes"]["collector_microseconds"] > 0
