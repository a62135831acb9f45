"""``graphldp collect community create``: open one community, or all those of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.collect.shown import row
from graphldp.cli.collect.store import YesOption, actor, ask, open_database, read_text
from graphldp.cli.names import MECHANISM
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.shared import console
from graphldp.cli.shared.options import named
from graphldp.errors import GraphLDPError, ParameterError, bad_parameter

if TYPE_CHECKING:
    from graphldp.collector.actions.communities import NewCommunity
    from graphldp.collector.rosters import Roster

app = typer.Typer()
CREATE_EPILOG = """Examples:
graphldp collect community create cats --roster cats.txt -e 1 -e 2
graphldp collect community create --roster all.csv -e 1 --host social.example
"""


PurposeOption = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="What the reports are for, as members read it; by default GRAPHLDP_PURPOSE."),
]
OperatorOption = Annotated[str | None, typer.Option(metavar="TEXT", help="Who asks; by default GRAPHLDP_RUN_BY.")]
ContactOption = Annotated[
    str | None, typer.Option(metavar="TEXT", help="Whom members can write to; by default GRAPHLDP_CONTACT.")
]


@app.command(epilog=CREATE_EPILOG)
def create(
    roster: Annotated[
        Path,
        typer.Option(help="The users' names: one per line, JSON, or a .csv file with a header.", metavar="FILE"),
    ],
    epsilon: Annotated[
        list[float], typer.Option("--epsilon", "-e", metavar="ε", help="An ε to offer; may be repeated.")
    ],
    community: Annotated[
        str | None, typer.Argument(help="Its id; none where the file has a column 'community'.", metavar="[COMMUNITY]")
    ] = None,
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="Completes names without a host: ann becomes ann@HOST.")
    ] = None,
    mechanism: Annotated[str | None, MECHANISM] = None,
    groups: Annotated[
        str | None,
        typer.Option(help="The file's column of public groups; friends are then counted by these.", metavar="COLUMN"),
    ] = None,
    witnesses: Annotated[
        bool,
        typer.Option("--witnesses", help="Deal users into groups to count friends by: a liar then changes few labels."),
    ] = False,
    purpose: PurposeOption = None,
    operator: OperatorOption = None,
    contact: ContactOption = None,
    public: Annotated[bool, typer.Option("--public", help="Let users publish their list as it is, too.")] = False,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What people call the community; its id by default.")
    ] = None,
    label: Annotated[
        str | None, typer.Option("--class", metavar="CLASS", help="Its class, where it is known: a name or a number.")
    ] = None,
    retention: Annotated[
        int | None,
        typer.Option(help="Promise that a report is deleted after so many days.", metavar="DAYS"),
    ] = None,
    keep_models: Annotated[
        bool,
        typer.Option(
            "--keep-models/--drop-models",
            help="Whether models are used after a report of theirs is deleted.",
        ),
    ] = True,
    yes: YesOption = False,
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Open a community. Its roster, mechanism, groups, offers of ε and promises are frozen from then on.

    The mechanism is by default what is recommended at these ε: noisy-degrees, or hub-lists where one is above 1; with
    --groups friend-counts. Others are hub-counts, rr and dprr, which takes settings: 'dprr allocation=utility
    alpha=0.8 n_max=3000', the largest community of yours.

    Without COMMUNITY it opens all those of a .csv file, or none: a row for each member, with the columns community and
    member, and class and group where you know them. A file that Mastodon exported is a roster, too.
    """
    from graphldp.collector.actions.communities import NewCommunity, asked_by
    from graphldp.collector.actions.communities import create as open_it
    from graphldp.collector.offers import Split
    from graphldp.collector.rosters import completed, read_roster, read_rosters
    from graphldp.collector.settings import load_settings

    chosen, split = (None, {}) if mechanism is None else named(mechanism)
    for key in split.keys() - {"allocation", "alpha", "n_max"} | (split.keys() if chosen != "dprr" else set()):
        raise bad_parameter("mechanism", "graphldp collect community create", f"without the setting {key}", mechanism)

    asks = asked_by(load_settings(), purpose, operator, contact)

    def opening(people: Roster, known: str | None) -> NewCommunity:
        return NewCommunity(
            *(completed(people, host), asks, epsilon, chosen, public, Split(**split), name, known),
            *(retention, keep_models, witnesses),
        )

    text, table = read_text(roster), roster.suffix.lower() == ".csv"
    if community is not None:
        wanted = {community: opening(read_roster(text, str(roster), table=table, groups=groups), label)}
    elif name is not None or not table:
        raise bad_parameter("community", "graphldp collect community create", "given, but for a .csv of many", None)
    else:
        many = read_rosters(text, str(roster), groups=groups)
        wanted = {id: opening(people, known or label) for id, (people, known) in many.items()}
    for id, each in wanted.items():
        try:
            each.check(id)
        except GraphLDPError as error:
            raise error if community is not None else ParameterError(f"{roster}, community '{id}': {error}") from None
    if not (yes or as_json):
        _warn_of_bare_names(wanted.values())
    store = open_database(database, make=True)
    if there := sorted(wanted.keys() & {each.id for each in store.communities()}):
        raise ParameterError(f"There is a community '{there[0]}' already. Nothing was opened.")
    opened = [open_it(store, actor(), id, each) for id, each in wanted.items()]
    rows = [row(each, store.classes.names(), as_json=as_json) for each in opened]
    if community is not None:
        console.show_one(rows[0], as_json=as_json)
    elif as_json:
        console.show_json(rows)
    else:
        few = ("community", "users", "mechanism", "class")
        console.show([{key: each[key] for key in few} for each in rows], as_json=False)


def _warn_of_bare_names(wanted: Iterable[NewCommunity]) -> None:
    """Warn, and ask where somebody can be asked, before a roster is frozen whose names will match no export."""
    from graphldp.collector.rosters import bare

    found = [name for each in wanted for name in bare(each.roster)]
    if not found:
        return
    console.err.print(
        f"{len(found):,} names have no host, such as '{found[0]}'. If members bring a list that Mastodon exported, it "
        "has ann@social.example, and none of these will match. --host completes them.",
        soft_wrap=not console.err.is_terminal,
        highlight=False,
        markup=False,
    )
    if sys.stdin.isatty():
        ask("Open all the same?", yes=False)
