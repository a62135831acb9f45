"""Cells that are no trial: degrees, confidence, detection, time and memory."""
