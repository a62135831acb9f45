"""The mechanisms, which turn raw graphs into reports."""

from graphldp.mechanisms.attributes.category_rr import CategoryRR as CategoryRR
from graphldp.mechanisms.attributes.friend_counts import FriendCounts as FriendCounts
from graphldp.mechanisms.attributes.joint import Joint as Joint
from graphldp.mechanisms.attributes.multi_bit import MultiBit as MultiBit
from graphldp.mechanisms.base import DrawnLists as DrawnLists
from graphldp.mechanisms.base import Mechanism as Mechanism
from graphldp.mechanisms.base import RowMechanism as RowMechanism
from graphldp.mechanisms.blink import Blink as Blink
from graphldp.mechanisms.closed_pairs import ClosedPairs as ClosedPairs
from graphldp.mechanisms.customized import customized as customized
from graphldp.mechanisms.customized import match_public_fraction as match_public_fraction
from graphldp.mechanisms.dprr import DPRR as DPRR
from graphldp.mechanisms.hubs.hub_counts import HubCounts as HubCounts
from graphldp.mechanisms.hubs.hub_lists import HubLists as HubLists
from graphldp.mechanisms.local_lap import LapGraph as LapGraph
from graphldp.mechanisms.local_lap import LocalLap as LocalLap
from graphldp.mechanisms.named import register as register
from graphldp.mechanisms.noisy_degrees import NoisyDegrees as NoisyDegrees
from graphldp.mechanisms.nonprivate import NonPrivFull as NonPrivFull
from graphldp.mechanisms.nonprivate import NonPrivPart as NonPrivPart
from graphldp.mechanisms.rr import ARR as ARR
from graphldp.mechanisms.rr import RR as RR
