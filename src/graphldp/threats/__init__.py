"""Users who lie, and what a server can do about it (Section 6 of the paper)."""

from graphldp.threats.attacks import Attack, ListAttack, Poison
from graphldp.threats.base import Defense
from graphldp.threats.beyond import Collusion, HubMimicry
from graphldp.threats.consistency import RowColumnCheck
from graphldp.threats.degrees import (
    CopyLargest,
    DegreeAttack,
    DegreeShift,
    FakeHub,
    Imitation,
    Mimics,
    SilentHubs,
    StayAway,
)
from graphldp.threats.guard import HubGuard
from graphldp.threats.optimised import Optimised
from graphldp.threats.plausible import PlausibleDegrees
from graphldp.threats.threshold import DegreeThreshold
from graphldp.threats.verdict import ROC, Verdict, roc

__all__ = [
    "ROC",
    "Attack",
    "Collusion",
    "CopyLargest",
    "Defense",
    "DegreeAttack",
    "DegreeShift",
    "DegreeThreshold",
    "FakeHub",
    "HubGuard",
    "HubMimicry",
    "Imitation",
    "ListAttack",
    "Mimics",
    "Optimised",
    "PlausibleDegrees",
    "Poison",
    "RowColumnCheck",
    "SilentHubs",
    "StayAway",
    "Verdict",
    "roc",
]
