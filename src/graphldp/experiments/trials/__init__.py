"""Trials as they run: their reports are drawn, attacked and defended, then a classifier is fitted and scored."""
