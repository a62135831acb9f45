"""``graphldp mechanism`` and ``threat``: what there is by name; and the options that take a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.options import named
from graphldp.errors import bad_parameter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphldp.experiments.trial import Threat
    from graphldp.graphs import GraphSet
    from graphldp.mechanisms.named import NamedMechanism

app = typer.Typer()


def mechanisms(incomplete: str) -> list[str]:
    """Names of mechanisms, for a shell to complete."""
    from graphldp.mechanisms.named import names

    return [each for each in names() if each.startswith(incomplete)]


def _attacks(incomplete: str) -> list[str]:
    from graphldp.threats.named import ATTACKS

    return [each for each in ATTACKS if each.startswith(incomplete)]


def _defenses(incomplete: str) -> list[str]:
    from graphldp.threats.named import DEFENSES

    return [each for each in DEFENSES if each.startswith(incomplete)]


MECHANISM_HELP = "A name that 'graphldp mechanism' shows, or own.py:Class."
MECHANISM: Any = typer.Option(
    "--mechanism", "-m", metavar="NAME", autocompletion=mechanisms, help="What users send: 'graphldp mechanism' lists."
)
ATTACK: Any = typer.Option(
    "--attack", "-a", metavar="NAME", autocompletion=_attacks, help="What liars do, as 'graphldp threat' shows."
)
DEFENSE: Any = typer.Option(
    *("--defense", "-d"),
    metavar="NAME",
    autocompletion=_defenses,
    help="Which test finds them, as 'graphldp threat' shows.",
)
LIARS: Any = typer.Option("--liars", metavar="N", help="How many in a graph: 1, 2, … or a share such as 0.3.")
WHERE: Any = typer.Option("--where", metavar="WHERE", help="In which graphs they lie: train, test or both.")
SEED: Any = typer.Option("--seed", metavar="N", help="Same seed, same noise.")
EPSILON: Any = typer.Option("--epsilon", "-e", metavar="ε", help="ε of every private user: smaller is more private.")
PUBLIC: Any = typer.Option(
    "--public-fraction", metavar="λ", help="The share of users who publish their lists.", show_default=False
)


@app.command(epilog="Example: graphldp mechanism --json")
def mechanism(as_json: console.JsonOption = False) -> None:
    """Show every mechanism by name: what users send, whether devices can send it, and its settings.

    Settings follow a name, as in --mechanism 'dprr alpha=0.8'. A mechanism of your own goes wherever a name goes, as
    path/own.py:Class or package.module:Class.
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


@app.command(epilog="Example: graphldp threat --json")
def threat(as_json: console.JsonOption = False) -> None:
    """Show every attack and every defense by name, and whose reports they are for.

    One of your own goes wherever a name goes, as path/own.py:Class or package.module:Class. Attacks take the setting
    degree=honest: d* stays as it was, instead of being forged to fit a fake list. Defenses take treatment=remove, empty
    or redraw: what becomes of flagged users.
    """
    from graphldp.threats.named import ATTACKS, DEFENSES

    rows = [
        {"name": each.name, "kind": kind, "about": each.label, "fits": ", ".join(each.fits)}
        for kind, table in (("attack", ATTACKS), ("defense", DEFENSES))
        for each in table.values()
    ]
    console.show(rows, as_json=as_json)


def named_mechanism(text: str) -> tuple[str, dict[str, Any]]:
    """A mechanism's name and settings from what a user wrote; a whole number counts as real where one is meant."""
    from dataclasses import fields

    from graphldp.mechanisms.named import named as mechanism_named

    name, given = named(text)
    real = {each.name for each in fields(mechanism_named(name).kind) if "float" in str(each.type)}
    return name, {
        key: float(value) if key in real and isinstance(value, int) else value for key, value in given.items()
    }


def private_epsilon(graphs: GraphSet, epsilon: float, public_fraction: float, seed: int) -> float | NDArray[np.float64]:
    """ε for all, or one per user where some are public; the seed also draws who."""
    from graphldp.mechanisms import customized

    if public_fraction == 0.0:
        return epsilon
    return customized(graphs, epsilon=epsilon, public_fraction=public_fraction, rng=seed)


def given_defense(text: str, owner: str, *also: str) -> tuple[str, dict[str, Any]]:
    """A defense's name and its settings, of which 'treatment' and those in ``also`` are known."""
    name, given = named(text)
    for key in given.keys() - {"treatment", *also}:
        raise bad_parameter("defense", owner, f"without the setting {key}", text)
    return name, given


def given_threat(
    attack: str | None, liars: str | None, where: str | None, defense: str | None, owner: str
) -> Threat | None:
    """What a command's options say about liars and the server; None where they say nothing."""
    from graphldp.experiments.trial import Threat

    if (attack is None) != (liars is None):
        raise bad_parameter("liars", owner, "given together with --attack", liars)
    if where is not None and attack is None:
        raise bad_parameter("where", owner, "given together with --attack", where)
    if attack is None and defense is None:
        return None
    fraction, count = (0.0, None) if liars is None else _liars(liars, owner)
    name, settings = (None, {}) if attack is None else named(attack)
    if settings not in ({}, {"degree": "honest"}, {"degree": "forged"}):
        raise bad_parameter("attack", owner, "a name, and degree=honest or degree=forged after it", attack)
    kept, given = (None, {}) if defense is None else given_defense(defense, owner)
    return Threat.named(
        *(name, fraction, kept),
        forge_degree=settings.get("degree") != "honest",
        treatment=given.get("treatment"),
        where=where or "train",
        liars=count,
    )


def _liars(text: str, owner: str) -> tuple[float, int | None]:
    """A share, or else how many."""
    try:
        return (float(text), None) if not text.lstrip("+-").isdigit() else (0.0, int(text))
    except ValueError:
        raise bad_parameter("liars", owner, "a number such as 1, or a share such as 0.3", text) from None
