"""``graphldp audit client``: every report of the client, exactly."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.audit.findings import SamplesOption, conclude
from graphldp.cli.shared import console
from graphldp.cli.shared.source import need

EPILOG = "Example: graphldp audit client --samples 5000"


def client(
    samples: SamplesOption = 5000,
    users: Annotated[int, typer.Option(min=2, max=4, help="Users of the community that is enumerated.")] = 4,
    as_json: console.JsonOption = False,
) -> None:
    """Check the client: the exact law of its reports, its thresholds, many draws, and its protocol on this machine."""
    need("client", "audit client")  # the protocol runs last, after half a minute of enumeration
    from graphldp.audit import asking, exact, montecarlo, protocol, rounds, traffic

    findings = [exact.reports(name, users, *spent) for name, *spent in exact.cases()]
    findings += [rounds.rounds(*case) for case in rounds.cases(users)]
    for name, epsilon1, epsilon2 in (case for case in exact.cases() if 1.0 in case):
        if epsilon2:
            findings += [exact.lists(name, n, epsilon1, epsilon2, bits) for n, bits in exact.WORDS]
        findings.append(montecarlo.audit_client(name, epsilon1, epsilon2, samples=samples))
    findings += [exact.thresholds(), protocol.one_report(), traffic.same_traffic(), asking.same_answers()]
    conclude(findings, as_json=as_json)
