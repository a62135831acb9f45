"""``graphldp mechanisms``: what there is by name; and the options that commands about mechanisms share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli.shared import console

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphldp.graphs import GraphSet
    from graphldp.mechanisms import Mechanism
    from graphldp.mechanisms.named import NamedMechanism

EPILOG = """Examples:

graphldp mechanisms

graphldp mechanisms --json
"""
MECHANISM_HELP = "What users send, and its noise: a name that 'graphldp mechanisms' shows, or path/own.py:Class."

SeedOption = Annotated[int, typer.Option("--seed", help="Same seed, same noise.")]
MechanismOption = Annotated[str, typer.Option("--mechanism", "-m", help=MECHANISM_HELP)]
EpsilonOption = Annotated[
    float, typer.Option("--epsilon", "-e", help="ε of every private user: smaller is more private.")
]
PublicOption = Annotated[
    float, typer.Option("--public-fraction", help="λ: the share of users who publish their lists.")
]
AllocationOption = Annotated[
    str | None, typer.Option("--allocation", help="DPRR: how ε is split, 'paper' (the default), 'fixed' or 'utility'.")
]
AlphaOption = Annotated[
    float | None, typer.Option("--alpha", help="DPRR: the share of ε that goes to the edges; 0.9 by default.")
]
NoiseOption = Annotated[
    str | None,
    typer.Option("--noise", help="Noise on degrees: 'laplace' or 'discrete'; by default the mechanism's own."),
]
SamplingOption = Annotated[float | None, typer.Option("--sampling", help="ARR: the probability that an entry is kept.")]

CategoriesOption = Annotated[
    int | None, typer.Option("--categories", help="CategoryRR: how many categories there are, a public number.")
]
LowOption = Annotated[
    float | None, typer.Option("--low", help="MultiBit: the smallest value of a feature; 0 by default.")
]
HighOption = Annotated[
    float | None, typer.Option("--high", help="MultiBit: the largest value of a feature; 1 by default.")
]


def mechanisms(as_json: console.JsonOption = False) -> None:
    """Show every mechanism by name: what users send, whether devices can send it, and its parameters.

    A mechanism of your own goes wherever a name goes, as path/own.py:Class or package.module:Class.
    """
    from graphldp.mechanisms.named import mechanisms as table

    rows = [
        {
            "name": each.name,
            "mechanism": each.label,
            "sends": " and ".join(word for word, sent in _sent(each).items() if sent) or None,
            "private": each.private,
            "live": each.code is not None,
            "parameters": ", ".join(each.options) or None,
        }
        for each in table()
    ]
    console.show(rows, as_json=as_json)


def _sent(record: NamedMechanism) -> dict[str, bool]:
    columns = {name: record.protects == name for name in ("features", "labels")}
    return {"d*": record.degree, "counts by group": record.groups, **columns, "lists": record.lists}


def make_mechanism(name: str, epsilon: float | NDArray[np.float64], **options: Any) -> Mechanism:
    """The mechanism of this name; an option that is None was not given."""
    from graphldp.mechanisms.named import named

    return named(name).make(epsilon, **options)


def private_epsilon(graphs: GraphSet, epsilon: float, public_fraction: float, seed: int) -> float | NDArray[np.float64]:
    """ε for all, or one per user where some are public; the seed also draws who."""
    from graphldp.mechanisms import customized

    if public_fraction == 0.0:
        return epsilon
    return customized(graphs, epsilon=epsilon, public_fraction=public_fraction, rng=seed)
