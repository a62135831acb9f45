"""Attacks beyond the paper's: users who pass for hubs, and users who act together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from graphldp.errors import DataError, bad_parameter
from graphldp.mechanisms.drawing import backend
from graphldp.mechanisms.drawing.rows import UserRows
from graphldp.mechanisms.drawing.streams import Key, Stream
from graphldp.reports import Reports
from graphldp.threats.attacks.poison import ListAttack, Script, check_share
from graphldp.threats.lists import ForgedLists, pooled_lists, with_member

How = Literal["clique", "target", "frame"]


@dataclass(frozen=True)
class HubMimicry(ListAttack):
    """Fake lists that are as long as those of honest hubs.

    A hub is an honest user whose reported list holds more than a share ``hub`` of her graph. Each malicious user draws
    one hub of the whole set and reports users at random, on average the same share of her own graph as this hub.

    Args:
        hub: a list that holds more than this share of a graph is a hub's.
        fraction: β.
        liars: instead of β, how many users of each graph.
        forge_degree: see :class:`graphldp.threats.ListAttack`.
    """

    hub: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.hub, "hub", "HubMimicry")

    def script(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Script:
        """Any list, changed with ω₁ = ω₂ = the share that the drawn hub has on hers."""
        share = _shares(reports)
        hubs = share[(crew < 0) & ~reports.public & (share > self.hub)]
        if not len(hubs):
            raise DataError(f"No honest list holds more than {self.hub:g} of its graph: there is no hub to mimic.")
        words = backend.first_words(UserRows.of(reports), Stream.DEGREE, key)[:, 1]
        mimicked = hubs[words % np.uint64(len(hubs))]
        return Script(ForgedLists(reports.indptr, reports.indices), mimicked, mimicked)


@dataclass(frozen=True)
class Collusion(ListAttack):
    """Malicious users of a graph who act together.

    ``"clique"``: they list each other and nobody else. ``"target"``: one of them lists half of the graph, and all
    others add her to their honest lists, so that a fake hub is vouched for. ``"frame"``: every second one lists half
    of the graph, which casts suspicion on long lists; the others send short lists, twice as long as the graph's
    average, of anybody but its hubs, who then seem to be listed too seldom.

    Args:
        how: ``"clique"``, ``"target"`` or ``"frame"``.
        hub: an honest list that holds more than this share of a graph is a hub's, for ``"frame"``.
        fraction: β.
        liars: instead of β, how many users of each graph.
        forge_degree: see :class:`graphldp.threats.ListAttack`.
    """

    how: How
    hub: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how not in get_args(How):
            raise bad_parameter("how", "Collusion", f"one of {', '.join(get_args(How))}", self.how)
        check_share(self.hub, "hub", "Collusion")

    def script(self, reports: Reports, crew: NDArray[np.int64], key: Key) -> Script:
        """The lists that the crew has agreed on."""
        malicious = crew >= 0
        if self.how == "clique":
            return Script(pooled_lists(reports, malicious, malicious), 1.0, 0.0)
        if self.how == "target":
            leads = crew == 0
            leader = np.zeros(reports.num_graphs, np.int64)
            leader[reports.graph_of_user[leads]] = np.flatnonzero(leads)
            lists = with_member(reports, malicious & ~leads, leader[reports.graph_of_user])
            return Script(lists, np.where(leads, 0.5, 1.0), np.where(leads, 0.5, 0.0))
        framers, share = malicious & (crew % 2 == 1), _shares(reports)
        hubs = ~malicious & (share > self.hub)
        average = np.bincount(reports.graph_of_user, share, reports.num_graphs) / np.maximum(reports.sizes, 1)
        short = np.minimum(2.0 * average, 1.0)[reports.graph_of_user]
        lists = pooled_lists(reports, framers, hubs)
        return Script(lists, np.where(framers, 0.0, 0.5), np.where(framers, short, 0.5))


def _shares(reports: Reports) -> NDArray[np.float64]:
    """The share of her graph that each user has on her list."""
    return np.asarray(reports.degrees / np.maximum(np.repeat(reports.sizes, reports.sizes) - 1, 1))
