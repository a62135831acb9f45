"""``graphldp threats``: the attacks and the defenses by name."""

from __future__ import annotations

from graphldp.cli import console

EPILOG = """Examples:

graphldp threats

graphldp threats --json
"""
ATTACK_HELP = "What they do: an attack that 'graphldp threats' shows, or path/own.py:Class."
DEFENSE_HELP = "Which test: a defense that 'graphldp threats' shows, or path/own.py:Class."


def threats(as_json: console.JsonOption = False) -> None:
    """Show every attack and every defense by name, and whose reports they are for.

    One of your own goes wherever a name goes, as path/own.py:Class or package.module:Class.
    """
    from graphldp.mechanisms.named import mechanisms
    from graphldp.threats.named import ATTACKS, DEFENSES

    with_lists = ", ".join(each.name for each in mechanisms() if each.private and each.lists)
    rows = [{"name": each.name, "kind": "attack", "about": each.label, "fits": with_lists} for each in ATTACKS.values()]
    rows += [
        {"name": each.name, "kind": "defense", "about": each.label, "fits": ", ".join(each.fits)}
        for each in DEFENSES.values()
    ]
    console.show(rows, as_json=as_json)
