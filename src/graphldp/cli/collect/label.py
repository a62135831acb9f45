"""``graphldp collect label``: label the communities that have none."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.store import CommunitiesOption, DefenseOption, actor, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import DeviceOption
from graphldp.cli.shared.source import need_learn


def label(
    model: Annotated[Path, typer.Argument(help="A model that 'graphldp collect train' wrote.", metavar="MODEL")],
    communities: CommunitiesOption = None,
    defense: DefenseOption = None,
    device: DeviceOption = "auto",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Label the communities that have no label, or those that are named.

    The confidence is the model's probability, calibrated on held-out communities: of labels at 0.8, four in five are
    right. Beside it stands how many of the users had reported. Some models also promise how many users could lie
    without changing the label. A community with fewer reports than the setting 'min_reports' ($GRAPHLDP_MIN_REPORTS)
    gets no label: it would be about these few users.

    Label as many communities at once as you can. The model compares more than twenty with what it learned. If they
    contradict it, somebody lied or they are of another kind. It then trusts reports less, and a line says so.
    """
    need_learn("collect label")
    store = open_database(database)
    from graphldp.collector.acting import noting
    from graphldp.collector.actions.collected import chosen
    from graphldp.collector.roles import Role
    from graphldp.collector.settings import load_settings
    from graphldp.experiments.service.gathering import Course
    from graphldp.experiments.service.labelling import label_collected
    from graphldp.learn.certificates import FILTERED, UNHEARD

    least, course = load_settings().min_reports, Course(device=device)
    with noting(store, actor(), "reports.label", Role.OPERATOR, communities):
        wanted = [each for each in chosen(store, communities) if communities or each.label is None]
        given = label_collected(store, wanted, model, defense=defense, min_reports=least, course=course)
    found = given.recipients
    if given.trust in UNHEARD:
        console.err.print(UNHEARD[given.trust])
    if given.trust is not None and defense is not None:
        console.err.print(FILTERED)
    if few := len(wanted) - len(found):
        console.err.print(f"Left out: {few} communities in which fewer than {least} have reported.")
    rows = [
        {
            "community": each.community.id,
            "label": each.prediction.label,
            "confidence": each.prediction.confidence,
            "withstands": console.promised(each.prediction.certified, as_json=as_json),
            "reported": each.prediction.reported,
            "users": each.community.n,
        }
        for each in found
    ]
    console.show(rows, as_json=as_json)
