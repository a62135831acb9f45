"""``graphldp audit wire``: fuzz the reader of reports."""

from __future__ import annotations

from typing import Annotated

import typer

from graphldp.cli.shared import console

EPILOG = "Example: graphldp audit wire --inputs 1000000"


def wire(
    inputs: Annotated[int, typer.Option(min=1, help="How many inputs.")] = 100_000,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same inputs.")] = 0,
    as_json: console.JsonOption = False,
) -> None:
    """Feed random bytes to the reader of reports.

    It must refuse each input with a reason, unless the input is the only way to write what it says.
    """
    from graphldp.audit.fuzz import fuzz

    console.show(
        [{"outcome": reason, "inputs": count} for reason, count in fuzz(inputs, seed).most_common()], as_json=as_json
    )
