"""Slots as people write them."""

from __future__ import annotations


def in_ranges(slots: list[int]) -> str:
    """Sorted slots as people write them: 0–3, 7."""
    ranges: list[list[int]] = []
    for slot in slots:
        if ranges and slot == ranges[-1][1] + 1:
            ranges[-1][1] = slot
        else:
            ranges.append([slot, slot])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)
