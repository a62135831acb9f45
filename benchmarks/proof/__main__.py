"""Proof under load and faults: ``python -m benchmarks.proof``, reduced; ``--full`` for all of it.

Everything runs against ``graphldp serve`` as a process of its own, on loopback. A missing component (PostgreSQL,
strace; in full debootstrap too) is a failure.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.proof import deploy, faults, fuzz, growth, hostile, kill, load
from benchmarks.proof.setting import Finding, Scale

PROOFS: dict[str, tuple[Callable[[Scale, str], Finding], tuple[str, ...]]] = {
    "growth": (growth.prove, ("time", "memory")),
    "load": (load.prove, ("sqlite", "postgresql")),
    "kill": (kill.prove, ("sqlite", "postgresql")),
    "disk": (faults.prove_full_disk, ("sqlite",)),
    "away": (faults.prove_database_away, ("postgresql",)),
    "twins": (faults.prove_two_servers, ("postgresql",)),
    "hostile": (hostile.prove, ("sqlite", "postgresql")),
    "fuzz": (fuzz.prove, ("sqlite", "postgresql")),
    "deploy": (deploy.prove_deployment, ("Debian",)),
}
ONLY_FULL = ("deploy",)  # minutes, and it downloads a Debian


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proof", description="Proof under load and faults.")
    parser.add_argument("--full", action="store_true", help="100,000 reports, 20 kills")
    parser.add_argument("--only", nargs="+", choices=PROOFS, help="some of the proofs")
    parser.add_argument("--out", type=Path, help="a JSON file for the findings")
    given = parser.parse_args()
    scale, findings = Scale.of(given.full), []
    for name in given.only or [each for each in PROOFS if given.full or each not in ONLY_FULL]:
        prove, kinds = PROOFS[name]
        for kind in kinds:
            start = time.perf_counter()
            finding = prove(scale, kind)
            findings.append(finding)
            print(f"{'ok    ' if finding.holds else 'FAILED'} {finding.name} ({time.perf_counter() - start:.0f} s)")
            for fact, holds in finding.facts.items():
                print(f"         {'✓' if holds else '✗'} {fact}")
            for key, value in finding.numbers.items():
                print(f"         {key}: {value}", flush=True)
    if given.out is not None:
        rows = [{"name": f.name, "holds": f.holds, "facts": f.facts, "numbers": f.numbers} for f in findings]
        given.out.write_text(json.dumps({"full": scale.full, "findings": rows}, indent=2, ensure_ascii=False) + "\n")
    return 0 if all(finding.holds for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
