"""Users who lie, and what a server can do about it (Section 6 of the paper)."""

from graphldp.threats.attacks import Attack, Poison
from graphldp.threats.base import Defense
from graphldp.threats.beyond import Collusion, HubMimicry
from graphldp.threats.consistency import RowColumnCheck
from graphldp.threats.guard import HubGuard
from graphldp.threats.threshold import DegreeThreshold
from graphldp.threats.verdict import ROC, Verdict, roc

__all__ = [
    "ROC",
    "Attack",
    "Collusion",
    "Defense",
    "DegreeThreshold",
    "HubGuard",
    "HubMimicry",
    "Poison",
    "RowColumnCheck",
    "Verdict",
    "roc",
]
