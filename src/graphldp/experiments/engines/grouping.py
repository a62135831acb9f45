"""Which cells go to one worker together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphldp.experiments.cells import Cell, canonical
from graphldp.experiments.draws import Context, Draw, given_lists, packed_bytes
from graphldp.experiments.trial import Threat, Trial

ALONE = ("complexity", "runtime")
"""Kinds that measure time, so that nothing may run beside them."""

_LARGEST = 256
_SHARE = 0.35  # of a GPU's memory for packed graphs: joining them doubles it, and activations come on top


def groups_of(cells: Iterable[Cell]) -> tuple[list[list[Cell]], list[list[Cell]]]:
    """Cells that share a draw, together; and, apart, cells that must run with nothing beside them.

    Of trials with malicious users, those that share what is learned from: a fit takes longer than a draw. Of trials
    about single users, those of one mechanism that share a split: what features say of it takes longest.
    """
    shared: dict[str, list[Cell]] = {}
    alone: list[list[Cell]] = []
    for cell in cells:
        if cell.kind in ALONE:
            alone.append([cell])
        else:
            shared.setdefault(_shared(cell), []).append(cell)
    return list(shared.values()), alone


def _shared(cell: Cell) -> str:
    """What a cell's work depends on that others may share."""
    if "draw" not in cell.params:
        return cell.id
    if cell.kind == "nodes":
        draw = cell.params["draw"]
        return canonical([draw["dataset"], draw["mechanism"], cell.params["ratios"], cell.params["seed"]])
    if cell.kind != "poisoned-control":
        return canonical(cell.params["draw"])
    trial = Trial.of(cell)
    learned = (trial.threat or Threat()).learned
    return replace(trial, threat=replace(learned, defense="none", treatment="")).cell.id


def merged(groups: Sequence[list[Cell]], context: Context) -> list[list[Cell]]:
    """Groups put together for a GPU, as many draws as its memory holds beside each other."""
    packs: list[list[Cell]] = []
    taken, room = 0, 0.0
    for group in groups:
        draw = group[0].params.get("draw")
        need = 0 if draw is None else _need(Draw.of(draw), context)
        if not packs or taken >= _LARGEST or need > room:
            packs.append([])
            taken, room = 0, _SHARE * context.memory
        packs[-1] += group
        taken, room = taken + 1, room - need
    return packs


def _need(draw: Draw, context: Context) -> int:
    return packed_bytes(draw, given_lists(draw, context))
