"""A collector that runs, for the tests of one file."""

from collections.abc import Iterator

import pytest
from tests.collector.site import SETTINGS, Site, running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """With the settings that most files need; a file that needs others has a fixture of its own."""
    yield from running(Site(tmp_path_factory.mktemp("site"), SETTINGS))
