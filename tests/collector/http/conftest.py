"""A collector that runs, for the tests of one file."""

from collections.abc import Iterator

import pytest
from tests.collector.site import HASTY, SETTINGS, Site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """With the settings that most files need; a file that needs others has a fixture of its own."""
    yield from _running(Site(tmp_path_factory.mktemp("site"), SETTINGS))


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One that does not wait for slow clients."""
    yield from _running(Site(tmp_path_factory.mktemp("hasty"), HASTY))


def _running(made: Site) -> Iterator[Site]:
    with made.collector:
        yield made
    made.http.close()
    made.store.close()
