"""``graphldp collect label`` and ``label-users``: labels of communities and of single users."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.collect.store import (
    CommunitiesOption,
    CommunityArgument,
    DefenseOption,
    actor,
    open_database,
    read_text,
)
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import DeviceOption, need_learn, out_help, place
from graphldp.files.whole import write_csv

app = typer.Typer()


@app.command(
    epilog="""Examples:
graphldp collect label model.npz --community cats
graphldp collect label model.npz --out labels.csv
"""
)
def label(
    model: Annotated[Path, typer.Argument(help="A model that 'graphldp collect train' wrote.", metavar="MODEL")],
    communities: CommunitiesOption = None,
    defense: DefenseOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="PATH", help=out_help("Write a table instead of printing one", "labels.csv")
        ),
    ] = None,
    device: DeviceOption = "auto",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Find a label for each community of unknown class, or for those that are named.

    The confidence is the model's probability, calibrated on held-out communities: of labels at 0.8, four in five are
    right. Beside it stands how many of the users had reported. Some models also promise how many users could lie
    without changing the label. A community with fewer reports than the setting 'min_reports' ($GRAPHLDP_MIN_REPORTS)
    gets no label: it would be about these few users.
    """
    need_learn("collect label")
    store = open_database(database)
    from graphldp.collector.actions.reports import chosen
    from graphldp.collector.roles import Role, noting
    from graphldp.collector.settings import load_settings
    from graphldp.experiments.service.collected import label_collected
    from graphldp.experiments.service.gathering import Course
    from graphldp.learn.certificates import FILTERED

    least, course = load_settings().min_reports, Course(device=device)
    with noting(store, actor(), "reports.label", Role.OPERATOR, communities):
        wanted = [each for each in chosen(store, communities) if communities or each.label is None]
        found = label_collected(store, wanted, model, defense=defense, min_reports=least, course=course)
    if defense is not None:
        console.err.print(FILTERED)
    if few := len(wanted) - len(found):
        console.err.print(f"Left out: {few} communities in which fewer than {least} have reported.")
    classes = {} if as_json else store.classes.names()
    rows = [
        {
            "community": community.id,
            "label": classes.get(given.label, given.label),
            "confidence": given.confidence,
            "withstands": console.promised(given.certified, as_json=as_json or out is not None),
            "reported": given.reported,
            "users": community.n,
        }
        for community, given in found
    ]
    if out is None:
        console.show(rows, as_json=as_json)
        return
    from graphldp.files.text import as_text

    path = place(out, "labels.csv", "collect label")
    columns = ["community", "label", "confidence", "withstands", "reported", "users"]
    write_csv(path, columns, (row | {"label": as_text(str(row["label"]))} for row in rows))
    console.show_one({"file": str(path), "communities": len(rows)}, as_json=as_json)


@app.command(epilog="Example: graphldp collect label-users pages --classes pages.csv")
def label_users(
    community: CommunityArgument,
    classes: Annotated[
        Path,
        typer.Option(
            help="A CSV file: a header, names first, and known classes in a column 'class', else empty.",
            metavar="FILE",
        ),
    ],
    number: Annotated[
        list[str] | None,
        typer.Option(help="A column of public numbers to learn from as well; may be repeated.", metavar="COLUMN"),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides which known users are held out.")] = 0,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Find a label for each user of a community, from some known classes and from what all users reported.

    For communities by friend-counts, or by rr at a large ε. Only users who have reported are labelled. A fifth of the
    known users is held out first, to measure accuracy. Beside it stands the accuracy from public facts alone, without
    reports. Then it learns from all known users. With fewer reports than the setting 'min_reports'
    ($GRAPHLDP_MIN_REPORTS), nobody is labelled.
    """
    need_learn("collect label-users")
    store = open_database(database)
    from graphldp.collector.roles import Role, noting
    from graphldp.collector.settings import load_settings
    from graphldp.experiments.service.collected_users import KnownUsers, classify_users

    with noting(store, actor(), "reports.label-users", Role.OPERATOR, community):
        found = store.community(community)
        told = KnownUsers(classes, read_text(classes), store.roster(found))
        given = {"numbers": told.numbers(number), "seed": seed} if number else {"seed": seed}
        made = classify_users(store, found, told.classes(), **given, min_reports=load_settings().min_reports)
    low, high = made.interval
    rows = [{"name": each.name, "label": each.label, "confidence": each.confidence} for each in made.users]
    if as_json:
        about = {"community": found.id, "reported": made.reported, "known": made.known, "held out": made.held_out}
        about |= {"held-out accuracy": made.accuracy, "low": low, "high": high, "by public columns alone": made.alone}
        console.show_json(about | {"users": rows})
        return
    console.show(rows, as_json=False)
    said = (
        f"{made.reported:,} of {found.n:,} users have reported, and the classes of {made.known:,} of these are known. "
        f"Of {made.held_out} held-out users {made.accuracy:.0%} are right (95 % interval {low:.2f} to {high:.2f}); by "
        f"what is public about them alone it would be {made.alone:.0%}."
    )
    console.err.print(said, soft_wrap=not console.err.is_terminal, highlight=False)
