"""Users who lie, and what a server can do about it (Section 6 of the paper)."""

from graphldp.threats.attacks.beyond import Collusion, HubMimicry
from graphldp.threats.attacks.degrees import (
    CopyLargest,
    DegreeAttack,
    DegreeShift,
    FakeHub,
    Imitation,
    Mimics,
    SilentHubs,
    StayAway,
)
from graphldp.threats.attacks.poison import Attack, ListAttack, Poison
from graphldp.threats.defenses.base import ROC, Defense, Verdict, roc
from graphldp.threats.defenses.consistency import RowColumnCheck
from graphldp.threats.defenses.guard import HubGuard
from graphldp.threats.defenses.threshold import DegreeThreshold

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
    "Poison",
    "RowColumnCheck",
    "SilentHubs",
    "StayAway",
    "Verdict",
    "roc",
]
