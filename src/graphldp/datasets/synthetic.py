"""Embedded generators: nothing to download."""

from __future__ import annotations
