from __future__ import annotations

import pytest
from sqlalchemy import func, select

from graphldp.collector.storage import schema
from graphldp.collector.storage.database import transaction
from graphldp.collector.storage.operating import sign_ins
from graphldp.collector.storage.store import Store


@pytest.mark.attack("collector")
def test_sign_ins_that_nobody_ends_are_so_many_and_no_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin sign-ins without end, to fill the database."""
    monkeypatch.setattr(sign_ins, "_MANY", 10)
    for _ in range(30):
        begun = store.sign_ins.begin()
        with transaction(store.engine) as connection:
            assert connection.execute(select(func.count()).select_from(schema.sign_ins)).scalar_one() <= 11
    assert store.sign_ins.take(begun.state, begun.browser) == begun
