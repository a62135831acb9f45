"""A collector with communities for browsers to report to."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from benchmarks.services import Collector

from graphldp.collector.storage.store import Store
from graphldp.wire import Choice, Inquiry, Invitation

ROSTER = [f"cat {user}" for user in range(300)]
BIRDS = "<img src=x onerror=alert(1)> & birds"  # text, wherever it is shown
INQUIRY = Inquiry("<b>To learn</b> how we are connected.", "The cat club", "https://cats.example/ask")
CHOICES = (Choice("standard", 0.1, 0.9), Choice("careful", 0.05, 0.45), Choice("public", math.inf, math.inf))


CATS: dict[str, Any] = {"mechanism": "dprr", "choices": CHOICES, "name": "The cat lovers", "inquiry": INQUIRY}


class Site:
    """A running collector, its store and its members' links."""

    def __init__(self, folder: Path) -> None:
        database = f"sqlite:///{folder / 'collector.db'}"
        self.store = Store.open(database)
        self.store.open_community(
            "cats", ROSTER, mechanism="dprr", choices=CHOICES, name="The cat lovers", inquiry=INQUIRY
        )
        bears, fair = [f"bear {user}" for user in range(40)], [Choice("standard", 1.0, 0.0)]
        self.store.open_community("bears", bears, mechanism="noisy-degrees", choices=fair, inquiry=INQUIRY)
        self.tokens = self.store.invite("cats")
        # at ε = 8 the noise of a hub who knows everybody takes her below the limit with a chance of 10⁻³⁰
        bees, choices = [f"bee {user}" for user in range(90)], [Choice("standard", 8.0, 0.0)]
        self.store.open_community("bees", bees, mechanism="hub-counts", choices=choices)
        owls, split = [f"owl {user}" for user in range(60)], [Choice("standard", 0.25, 0.75)]
        self.store.open_community("owls", owls, mechanism="closed-pairs", choices=split, inquiry=INQUIRY)
        few, only = ["<b>ann</b>", "bob"], [Choice("<u>only</u>", 0.1, 0.9)]
        self.store.open_community("birds", few, mechanism="hub-lists", choices=only, name=BIRDS)
        self.collector = Collector(database)

    def link(self, user: int) -> str:
        """Of a member of the first community."""
        return Invitation(self.collector.url, "cats", self.tokens[user]).to_link()

    def link_of(self, community: str, user: int) -> str:
        """A new one, of any member."""
        return Invitation(self.collector.url, community, self.store.invite(community, [user])[user]).to_link()

    def hub_link(self) -> str:
        """Of the member of the second community who will be its hub."""
        return Invitation(self.collector.url, "bees", self.store.invite("bees", [5])[5]).to_link()

    def bird_link(self) -> str:
        """Of a member of the third community, which is to have a second epoch."""
        return Invitation(self.collector.url, "birds", self.store.invite("birds", [1])[1]).to_link()

    def stored(self, community: str, user: int) -> bytes | None:
        """What the collector holds of a member."""
        found = {each.user: each.body for each in self.store.stored(self.store.community(community))}
        return found.get(user)
