"""Accounting: how ε is split, and what the split promises. Pure maths that knows no mechanism."""

from graphldp.privacy.budget import Allocation, Budget, allocate, check_epsilon, degree_alone, once
from graphldp.privacy.guarantee import Guarantee

__all__ = ["Allocation", "Budget", "Guarantee", "allocate", "check_epsilon", "degree_alone", "once"]
