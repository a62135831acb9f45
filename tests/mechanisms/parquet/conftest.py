from __future__ import annotations

from collections.abc import Iterator

import pytest

STORE = 100_000_000


@pytest.fixture(scope="package", autouse=True)
def cluster() -> Iterator[None]:
    """Two workers and an object store of 100 MB, for all files of this folder: it takes seconds to start."""
    ray = pytest.importorskip("ray", reason="needs the extra [ray]")
    ray.init(num_cpus=2, object_store_memory=STORE, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
    yield
    ray.shutdown()
