"""``graphldp audit mechanism``: its ε, bounded from below."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli import mechanisms
from graphldp.cli.audit.findings import SamplesOption, conclude
from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

EPILOG = "Example: graphldp audit mechanism -m hub-lists -e 2"


def mechanism(
    name: Annotated[
        str | None,
        typer.Option("--mechanism", "-m", help="A name that 'graphldp mechanisms' shows; by default all of them."),
    ] = None,
    epsilon: mechanisms.EpsilonOption = 1.0,
    samples: SamplesOption = 200_000,
    seed: mechanisms.SeedOption = 0,
    as_json: console.JsonOption = False,
) -> None:
    """Measure how much ε a mechanism spends at least, by many draws on graphs of four users.

    The bound holds with 99.9 % confidence: if it is above the ε that was promised, the promise is broken. The other
    parameters are chosen so that four users take every branch of the mechanism, with both kinds of noise.
    """
    from graphldp.audit.montecarlo import audit_mechanism
    from graphldp.mechanisms.named import mechanisms as table
    from graphldp.mechanisms.named import named

    records = [record for record in table() if record.private] if name is None else [named(name)]
    if not all(record.private for record in records):
        raise bad_parameter("mechanism", "audit", "one that promises something", name)
    chosen = [record.make(epsilon, **options) for record in records for options in record.audited_with]
    conclude([audit_mechanism(each, samples=samples, seed=seed) for each in chosen], as_json=as_json)
