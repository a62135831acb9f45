"""Reports: what users sent, noisy, right of the privacy line."""

from graphldp.reports.parts import HubAnswers, NoisyColumns, Origin, PairAnswers
from graphldp.reports.reports import Reports

__all__ = ["HubAnswers", "NoisyColumns", "Origin", "PairAnswers", "Reports"]
