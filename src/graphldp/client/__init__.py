"""What runs on a user's device: draw one report exactly, keep it, send it. Imports neither torch nor numba.

::

    friends ──▶ sampler (exact, drawn once) ──▶ vault (fsynced) ──▶ sender (the same bytes, however often)
                                        ledger (ε, across all communities)
"""
