"""The mechanisms: what turns raw graphs into reports."""

from graphldp.mechanisms.arr import ARR
from graphldp.mechanisms.base import DrawnLists, Mechanism, RowMechanism
from graphldp.mechanisms.blink import Blink
from graphldp.mechanisms.customized import customized, match_public_fraction
from graphldp.mechanisms.dprr import DPRR
from graphldp.mechanisms.friend_counts import FriendCounts
from graphldp.mechanisms.hub_counts import HubCounts
from graphldp.mechanisms.hub_lists import HubLists
from graphldp.mechanisms.local_lap import LocalLap
from graphldp.mechanisms.noisy_degrees import NoisyDegrees
from graphldp.mechanisms.nonprivate import NonPrivFull, NonPrivPart
from graphldp.mechanisms.rr import RR

__all__ = [
    "ARR",
    "DPRR",
    "RR",
    "Blink",
    "DrawnLists",
    "FriendCounts",
    "HubCounts",
    "HubLists",
    "LocalLap",
    "Mechanism",
    "NoisyDegrees",
    "NonPrivFull",
    "NonPrivPart",
    "RowMechanism",
    "customized",
    "match_public_fraction",
]
