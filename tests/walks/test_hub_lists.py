"""Hub-lists with the real client and server, on both databases: from an ε to reports that the lab can read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.services import Collector
from tests.values import some

from graphldp.client.protocol import Client
from graphldp.collector.offers import Split, offers
from graphldp.collector.storage.copies.export import export
from graphldp.collector.storage.copies.verify import verify
from graphldp.collector.storage.database import open_engine
from graphldp.collector.storage.store import Store
from graphldp.wire import Invitation

N, HUB, OTHER = 90, 5, 6
ROSTER = [f"bee {user}" for user in range(N)]
EPSILON = 10.0  # of which a hub's degree has 2: its noise is below −12 with a chance of 10⁻¹¹


def test_a_hub_sends_a_list_and_nobody_else_does(database: str, tmp_path: Path) -> None:
    store = Store(open_engine(database))
    mechanism, choices = offers([EPSILON], None, N, Split())
    made = store.open_community("bees", ROSTER, mechanism=mechanism, choices=choices)
    assert (made.mechanism, made.hub_from) == ("hub-lists", 77)
    tokens = store.invite("bees")
    friends = {HUB: [user for user in range(N) if user != HUB], OTHER: [HUB]}
    with Collector(database) as collector:
        for user, known in friends.items():
            file = tmp_path / f"{user}.txt"
            file.write_text("\n".join(ROSTER[other] for other in known))
            client = Client(tmp_path / f"home-{user}", pauses=(), timeout=60.0, tick=0.0)
            client.join(Invitation(collector.url, "bees", tokens[user]), accept=10_000_000, cap=10_000_000)
            drawn = client.report("bees", friends_file=file)
            assert drawn.acknowledged
            assert drawn.report.hub == (user == HUB)
            assert client.status()[0].spent == 10_000_000  # the same, whichever she is
            assert client.report("bees", resend=True).body == drawn.body
    reports = export(store, [store.community("bees")])
    assert np.flatnonzero(~some(reports.missing)).tolist() == [HUB, OTHER]
    spent = reports.epsilon1[[HUB, OTHER]].tolist(), reports.epsilon2[[HUB, OTHER]].tolist()
    assert spent == ([2.0, 10.0], [8.0, 0.0])
    assert reports.guarantee.epsilon[[HUB, OTHER]].tolist() == pytest.approx([10.0, 10.0])
    assert (reports.degrees[HUB] > 60, reports.degrees[OTHER]) == (True, 0)
    found = verify(store.engine)
    assert (found.reports, found.problems) == (2, [])
    store.close()
