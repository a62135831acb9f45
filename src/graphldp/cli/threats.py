"""``graphldp threats``: the attacks and the defenses by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.shared import console
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    from graphldp.experiments.trial import Threat

EPILOG = """Examples:

graphldp threats

graphldp threats --json
"""
ATTACK_HELP = "What they do: an attack that 'graphldp threats' shows, or path/own.py:Class."
ROBUST_HELP = "With --recommended also 'recommended': the classifier that withstands liars."
DEFENSE_HELP = "Which test: a defense that 'graphldp threats' shows, or path/own.py:Class."

AllowanceOption = Annotated[
    float | None,
    typer.Option(
        help="How much accuracy the recommended defense may lose where nobody lies, from 0 to 1; 0.01 by default. "
        "The more it may lose, the more labels are certified: no single user can change them."
    ),
]
TreatmentOption = Annotated[
    str | None,
    typer.Option(help="What becomes of flagged users: remove, empty or redraw; by default the defense's own."),
]
LiarsOption = Annotated[
    int | None, typer.Option("--liars", help="How many users of each graph lie, instead of a share of them.")
]
WhereOption = Annotated[
    str | None, typer.Option(help="In which graphs they lie: train (the default), test (evasion) or both.")
]
HonestDegreeOption = Annotated[
    bool, typer.Option("--honest-degree", help="Liars leave d* as it was instead of forging it to fit the fake list.")
]


def threats(as_json: console.JsonOption = False) -> None:
    """Show every attack and every defense by name, and whose reports they are for.

    One of your own goes wherever a name goes, as path/own.py:Class or package.module:Class.
    """
    from graphldp.threats.named import ATTACKS, DEFENSES

    rows = [
        {"name": each.name, "kind": kind, "about": each.label, "fits": ", ".join(each.fits)}
        for kind, table in (("attack", ATTACKS), ("defense", DEFENSES))
        for each in table.values()
    ]
    console.show(rows, as_json=as_json)


def given_threat(
    attack: str | None,
    fraction: float | None,
    defense: str | None,
    *,
    honest_degree: bool,
    treatment: str | None,
    where: str | None,
    liars: int | None,
) -> Threat | None:
    """What a command's options say about liars and the server; None where they say nothing."""
    from graphldp.experiments.trial import Threat

    owner = "graphldp train"
    if (attack is None) != (fraction is None and liars is None):
        raise bad_parameter("fraction", owner, "given together with --attack", fraction)
    if fraction is not None and liars is not None:
        raise bad_parameter("liars", owner, "left out where there is a fraction", liars)
    if honest_degree and attack is None:
        raise bad_parameter("honest_degree", owner, "given together with --attack", honest_degree)
    if where is not None and attack is None:
        raise bad_parameter("where", owner, "given together with --attack", where)
    if treatment is not None and defense is None:
        raise bad_parameter("treatment", owner, "given together with --defense", treatment)
    if attack is None and defense is None:
        return None
    return Threat.named(
        *(attack, fraction or 0.0, defense),
        forge_degree=not honest_degree,
        treatment=treatment,
        where=where or "train",
        liars=liars,
    )
