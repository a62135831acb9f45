"""Mechanisms by name, with the options that the commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphldp.graphs import GraphSet
    from graphldp.mechanisms import Mechanism

NAMES = ("dprr", "rr", "arr", "local-lap", "noisy-degrees", "hub-lists", "nonpriv-part", "nonpriv-full")

SeedOption = Annotated[int, typer.Option("--seed", help="Same seed, same noise.")]
MechanismOption = Annotated[str, typer.Option("--mechanism", "-m", help=f"How lists are noised: {', '.join(NAMES)}.")]
EpsilonOption = Annotated[
    float, typer.Option("--epsilon", "-e", help="ε of every private user: smaller is more private.")
]
PublicOption = Annotated[
    float, typer.Option("--public-fraction", help="λ: the share of users who publish their lists.")
]
AllocationOption = Annotated[
    str, typer.Option("--allocation", help="DPRR: how ε is split, 'paper', 'fixed' or 'utility'.")
]
AlphaOption = Annotated[float, typer.Option("--alpha", help="DPRR: the share of ε that goes to the edges.")]
NoiseOption = Annotated[str, typer.Option("--noise", help="Noise on degrees: 'laplace' or 'discrete'.")]
SamplingOption = Annotated[float | None, typer.Option("--sampling", help="ARR: the probability that an entry is kept.")]


def make_mechanism(
    name: str,
    epsilon: float | NDArray[np.float64],
    *,
    allocation: str = "paper",
    alpha: float = 0.9,
    noise: str = "laplace",
    sampling: float | None = None,
) -> Mechanism:
    """The mechanism of this name; options that it does not have are left aside."""
    from graphldp import mechanisms

    if name not in NAMES:
        raise bad_parameter("mechanism", "graphldp", f"one of {', '.join(NAMES)}", name)
    if name == "dprr":
        options = {"allocation": allocation, "alpha": alpha, "noise": noise}
        return mechanisms.DPRR(epsilon, **cast("dict[str, Any]", options))
    if name == "arr":
        if sampling is None:
            raise bad_parameter("sampling", "ARR", "given: --sampling 0.1 keeps a tenth of the entries", None)
        return mechanisms.ARR(epsilon, sampling=sampling)
    if name == "noisy-degrees":
        return mechanisms.NoisyDegrees(epsilon, **cast("dict[str, Any]", {"noise": noise}))
    if name == "hub-lists":
        return mechanisms.HubLists(epsilon, **cast("dict[str, Any]", {"noise": noise}))
    if name == "nonpriv-full":
        return mechanisms.NonPrivFull()
    if name == "local-lap":
        return mechanisms.LocalLap(epsilon)
    return mechanisms.RR(epsilon) if name == "rr" else mechanisms.NonPrivPart(epsilon)


def private_epsilon(graphs: GraphSet, epsilon: float, public_fraction: float, seed: int) -> float | NDArray[np.float64]:
    """ε for all, or one per user where some are public; the seed also draws who."""
    from graphldp.mechanisms import customized

    if public_fraction == 0.0:
        return epsilon
    return customized(graphs, epsilon=epsilon, public_fraction=public_fraction, rng=seed)
