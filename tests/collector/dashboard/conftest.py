"""One collector for all tests of pages that change nothing for each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.collector.bureau import Bureau


@pytest.fixture(scope="package")
def bureau(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bureau]:
    made = Bureau(tmp_path_factory.mktemp("bureau"))
    with made.collector, made.http:
        yield made
    made.store.close()
