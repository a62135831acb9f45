"""``graphldp bench nodes``: how fast single users are labelled."""

from __future__ import annotations

from graphldp.cli.bench.measuring import OutOption, measure
from graphldp.cli.shared import console
from graphldp.cli.shared.source import RootOption, need_learn

EPILOG = "Example: graphldp bench nodes --root data --out benchmarks/results"


def nodes(root: RootOption = None, out: OutOption = None, as_json: console.JsonOption = False) -> None:
    """Label users of FacebookPages by counts at ε = 1 and by lists at ε = 6, and up to 20,000 invented users.

    FacebookPages is left out if this machine does not have it; the others are embedded. It shows seconds by the clock,
    seconds of the processor, and peak memory.
    """
    need_learn("bench nodes")
    from graphldp.benchmarks import nodes as benchmark

    measure("nodes", benchmark.run(root=root), out, as_json)
