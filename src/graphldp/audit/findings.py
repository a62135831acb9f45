"""What ``graphldp audit`` finds: every check of a mechanism or of the client, one after the other."""

from __future__ import annotations

from graphldp.audit import Finding
from graphldp.audit.montecarlo import audit_mechanism
from graphldp.audit.pairs import pairs
from graphldp.errors import bad_parameter
from graphldp.mechanisms import ClosedPairs
from graphldp.mechanisms.named import mechanisms as table
from graphldp.mechanisms.named import named


def of_mechanisms(name: str | None, epsilon: float, samples: int, seed: int) -> list[Finding]:
    """How much ε a mechanism spends at least, or each that promises something, with every audited setting."""
    records = [record for record in table() if record.private] if name is None else [named(name)]
    if not all(record.private for record in records):
        raise bad_parameter("what", "graphldp audit", "one that promises something", name)
    chosen = [record.make(epsilon, **options) for record in records for options in record.audited_with]
    found = [pairs(each) for each in chosen if isinstance(each, ClosedPairs)]
    return found + [audit_mechanism(each, samples=samples, seed=seed) for each in chosen]


def of_client(samples: int, users: int) -> list[Finding]:
    """The law of the client's reports, its thresholds, many draws, and its protocol here. It needs the extra client."""
    from graphldp.audit import exact, montecarlo, protocol, rounds, traffic

    findings = [exact.reports(name, users, *spent) for name, *spent in exact.cases()]
    findings += [rounds.rounds(*case) for case in rounds.cases(users)]
    for name, epsilon1, epsilon2 in (case for case in exact.cases() if 1.0 in case):
        if epsilon2:
            findings += [exact.lists(name, n, epsilon1, epsilon2, bits) for n, bits in exact.WORDS]
        findings.append(montecarlo.audit_client(name, epsilon1, epsilon2, samples=samples))
    return [*findings, exact.thresholds(), protocol.one_report(), traffic.same_traffic(), traffic.same_answers()]
