"""The mechanisms: what turns raw graphs into reports."""

from graphldp.mechanisms.arr import ARR
from graphldp.mechanisms.attributes.category_rr import CategoryRR
from graphldp.mechanisms.attributes.friend_counts import FriendCounts
from graphldp.mechanisms.attributes.joint import Joint
from graphldp.mechanisms.attributes.multi_bit import MultiBit
from graphldp.mechanisms.base import DrawnLists, Mechanism, RowMechanism
from graphldp.mechanisms.blink import Blink
from graphldp.mechanisms.customized import customized, match_public_fraction
from graphldp.mechanisms.dprr import DPRR
from graphldp.mechanisms.hubs.hub_counts import HubCounts
from graphldp.mechanisms.hubs.hub_lists import HubLists
from graphldp.mechanisms.lap_graph import LapGraph
from graphldp.mechanisms.local_lap import LocalLap
from graphldp.mechanisms.noisy_degrees import NoisyDegrees
from graphldp.mechanisms.nonprivate import NonPrivFull, NonPrivPart
from graphldp.mechanisms.rr import RR

__all__ = [
    "ARR",
    "DPRR",
    "RR",
    "Blink",
    "CategoryRR",
    "DrawnLists",
    "FriendCounts",
    "HubCounts",
    "HubLists",
    "Joint",
    "LapGraph",
    "LocalLap",
    "Mechanism",
    "MultiBit",
    "NoisyDegrees",
    "NonPrivFull",
    "NonPrivPart",
    "RowMechanism",
    "customized",
    "match_public_fraction",
]
