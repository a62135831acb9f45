"""``graphldp audit``: is the promise kept? Exit code 1 where it is not."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli import mechanisms
from graphldp.cli.shared import console
from graphldp.cli.shared.source import need
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.audit.finding import Finding

app = typer.Typer(
    help="Check that a mechanism, the client and the wire keep what they promise.",
    epilog="Example: graphldp audit client && graphldp audit mechanism -m rr -e 1",
    no_args_is_help=True,
)

SamplesOption = Annotated[int, typer.Option("--samples", min=100, help="Reports drawn of each list by Monte Carlo.")]


@app.command(epilog="Example: graphldp audit mechanism -m hub-lists -e 2")
def mechanism(
    name: Annotated[str | None, typer.Option("--mechanism", "-m", help="One of the table; all unless given.")] = None,
    epsilon: mechanisms.EpsilonOption = 1.0,
    samples: SamplesOption = 200_000,
    seed: mechanisms.SeedOption = 0,
    as_json: console.JsonOption = False,
) -> None:
    """Bound a mechanism's ε from below by Monte Carlo, on graphs of four users (confidence 99.9 %).

    Its other parameters are those at which four users take every branch of it, by both laws of the noise.
    """
    from graphldp.audit.montecarlo import audit_mechanism
    from graphldp.mechanisms.named import mechanisms as table
    from graphldp.mechanisms.named import named

    records = [record for record in table() if record.private] if name is None else [named(name)]
    if not all(record.private for record in records):
        raise bad_parameter("mechanism", "audit", "one that promises something", name)
    chosen = [record.make(epsilon, **options) for record in records for options in record.audited_with]
    _conclude([audit_mechanism(each, samples=samples, seed=seed) for each in chosen], as_json=as_json)


@app.command(epilog="Example: graphldp audit client --samples 5000")
def client(
    samples: SamplesOption = 5000,
    users: Annotated[int, typer.Option(min=2, max=4, help="Users of the community that is enumerated.")] = 4,
    as_json: console.JsonOption = False,
) -> None:
    """Enumerate the client's reports exactly, check its thresholds, draw from it, and run its protocol on loopback."""
    need("client", "audit client")  # the protocol runs last, after half a minute of enumeration
    from graphldp.audit import exact, montecarlo, protocol, traffic

    findings = [exact.reports(name, users, *spent) for name, *spent in exact.cases()]
    for name, epsilon1, epsilon2 in (case for case in exact.cases() if 1.0 in case):
        if epsilon2:
            findings += [exact.lists(name, n, epsilon1, epsilon2, bits) for n, bits in exact.WORDS]
        findings.append(montecarlo.audit_client(name, epsilon1, epsilon2, samples=samples))
    findings += [exact.thresholds(), protocol.one_report(), traffic.same_traffic()]
    _conclude(findings, as_json=as_json)


@app.command(epilog="Example: graphldp audit wire --inputs 1000000")
def wire(
    inputs: Annotated[int, typer.Option(min=1, help="How many inputs.")] = 100_000,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same inputs.")] = 0,
    as_json: console.JsonOption = False,
) -> None:
    """Fuzz the reader of reports: every input is refused with a reason, or is the one encoding of what it says."""
    from graphldp.audit.fuzz import fuzz

    console.show(
        [{"outcome": reason, "inputs": count} for reason, count in fuzz(inputs, seed).most_common()], as_json=as_json
    )


def _conclude(findings: list[Finding], *, as_json: bool) -> None:
    rows = [asdict(finding) for finding in findings]
    for row in rows:
        row |= {key: str(row[key]) for key in ("claimed", "shown") if math.isinf(row[key])}  # JSON has no infinity
    console.show(rows, as_json=as_json)
    if not all(finding.holds for finding in findings):
        raise typer.Exit(1)
