"""Estimates of what a community looks like, with errors and intervals, from what its users sent; and plans beforehand.

Everything here is post-processing of noisy reports, so it costs no ε. ``docs/guides/surveys.md`` has formulas and
proofs.
"""

from graphldp.estimates.communities import statistics
from graphldp.estimates.plans import SurveyPlan, plan
from graphldp.estimates.rows import Estimate, Statistics

__all__ = ["Estimate", "Statistics", "SurveyPlan", "plan", "statistics"]
