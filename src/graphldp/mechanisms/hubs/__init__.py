"""Mechanisms that ask more of hubs than of others."""
