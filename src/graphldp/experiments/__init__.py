"""The paper's experiments: what is computed (plans, trials), how (compute), where (engines), what came out (results).

A user starts one of the :mod:`~graphldp.experiments.runs`.
"""
