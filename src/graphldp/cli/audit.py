"""``graphldp audit``: is the promise kept? Exit code 1 where it is not."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.names import EPSILON, MECHANISM_HELP, SEED, mechanisms
from graphldp.cli.shared import console
from graphldp.cli.shared.options import need
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.audit import Finding

app = typer.Typer()
EPILOG = """Examples:
graphldp audit --epsilon 1
graphldp audit dprr -e 2 --draws 100000
graphldp audit client
graphldp audit wire --draws 1000000
"""
DRAWS = {"client": 5000, "wire": 100_000}
"""How many draws, unless said; 200,000 for mechanisms."""


def _audited(incomplete: str) -> list[str]:
    return [*(each for each in DRAWS if each.startswith(incomplete)), *mechanisms(incomplete)]


@app.command(epilog=EPILOG)
def audit(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHAT]",
            autocompletion=_audited,
            help=f"client, wire or one mechanism; by default all. {MECHANISM_HELP}",
        ),
    ] = None,
    epsilon: Annotated[float, EPSILON] = 1.0,
    draws: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Reports for each list, or inputs of the wire.")
    ] = None,
    users: Annotated[
        int, typer.Option(min=2, max=4, metavar="N", help="client: users of the community that is enumerated.")
    ] = 4,
    seed: Annotated[int, SEED] = 0,
    as_json: console.JsonOption = False,
) -> None:
    """Check that mechanisms, the client and the wire keep what they promise.

    The exit code is 1 where they do not. Of a mechanism it measures how much ε is spent at least, by many draws on
    graphs of four users. The bound holds with 99.9 % confidence: if it is above the ε that was promised, the promise is
    broken. Other settings are chosen so that four users take every branch of the mechanism, with both kinds of noise.

    Of the client it checks the exact law of its reports, its thresholds, many draws, and its protocol on this machine.

    The reader of the wire is fed random bytes. It must refuse each input with a reason, unless the input is the only
    way to write what it says.
    """
    count = draws or DRAWS.get(what or "", 200_000)
    if what == "wire":
        from graphldp.audit.fuzz import fuzz

        found = [{"outcome": reason, "inputs": number} for reason, number in fuzz(count, seed).most_common()]
        console.show(found, as_json=as_json)
    elif count < _FEWEST:
        raise bad_parameter("draws", "graphldp audit", f"{_FEWEST} or more", count)
    else:
        if what == "client":
            need("client", "audit client")  # the protocol runs last, after half a minute of enumeration
        _conclude(_of_client(count, users) if what == "client" else _of_mechanisms(what, epsilon, count, seed), as_json)


_FEWEST = 100


def _of_mechanisms(name: str | None, epsilon: float, samples: int, seed: int) -> list[Finding]:
    """How much ε a mechanism spends at least, or each that promises something, with every audited setting."""
    from graphldp.audit.montecarlo import audit_mechanism
    from graphldp.audit.pairs import pairs
    from graphldp.mechanisms import ClosedPairs
    from graphldp.mechanisms.named import mechanisms as table
    from graphldp.mechanisms.named import named

    records = [record for record in table() if record.private] if name is None else [named(name)]
    if not all(record.private for record in records):
        raise bad_parameter("what", "graphldp audit", "one that promises something", name)
    chosen = [record.make(epsilon, **options) for record in records for options in record.audited_with]
    found = [pairs(each) for each in chosen if isinstance(each, ClosedPairs)]
    return found + [audit_mechanism(each, samples=samples, seed=seed) for each in chosen]


def _of_client(samples: int, users: int) -> list[Finding]:
    """The law of the client's reports, its thresholds, many draws, and its protocol here. It needs the extra client."""
    from graphldp.audit import exact, montecarlo, protocol, rounds, traffic

    findings = [exact.reports(name, users, *spent) for name, *spent in exact.cases()]
    findings += [rounds.rounds(*case) for case in rounds.cases(users)]
    for name, epsilon1, epsilon2 in (case for case in exact.cases() if 1.0 in case):
        if epsilon2:
            findings += [exact.lists(name, n, epsilon1, epsilon2, bits) for n, bits in exact.WORDS]
        findings.append(montecarlo.audit_client(name, epsilon1, epsilon2, samples=samples))
    return [*findings, exact.thresholds(), protocol.one_report(), traffic.same_traffic(), traffic.same_answers()]


def _conclude(findings: list[Finding], as_json: bool) -> None:
    """Print what was found; exit code 1 where a promise is not kept."""
    rows = [asdict(finding) for finding in findings]
    for row in rows:
        row |= {key: str(row[key]) for key in ("claimed", "shown") if math.isinf(row[key])}  # JSON has no infinity
    console.show(rows, as_json=as_json)
    if not all(finding.holds for finding in findings):
        raise typer.Exit(1)
