"""``graphldp client answer``: answer the second question, once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from graphldp.cli.client.options import Community, HomeOption, RelayOption, ServerOption
from graphldp.cli.shared import console

if TYPE_CHECKING:
    from graphldp.client.answering import Answered

EPILOG = "Example: graphldp client answer cats"


def answer(
    community: Community,
    resend: Annotated[
        bool, typer.Option("--resend", help="Send the kept answer again, also if the collector acknowledged it.")
    ] = False,
    relay: RelayOption = None,
    server: ServerOption = None,
    home: HomeOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Answer the second question of a community by hub-counts, if your report says that you are asked one.

    It costs no ε beyond your report's. Your client answers only the first question that it sees, from the list that
    your report was drawn from. Run it again to send the same bytes again.
    """
    from graphldp.client.protocol import Client

    _show(Client(home).answer(community, server=server, resend=resend, relay=relay), as_json=as_json)


def _show(answered: Answered, *, as_json: bool) -> None:
    from graphldp.wire import spoken

    told = answered.answer
    if as_json:
        fields = {"bytes": answered.body.hex(), "answer": json.loads(told.to_json())}
        console.show_json(fields | {"quiet_friends": answered.quiet_friends})
        return
    lines = [
        "These bytes were sent, and no others: the collector has your answer:",
        answered.body.hex(),
        f"They say that {told.busy_friends} of your friends here are busy and {answered.quiet_friends} are not: the "
        "true numbers plus noise.",
        f"Question, of which your client answers no other: {spoken(told.question)}.",
        "Your answer costs nothing more: your report's ε covers both.",
    ]
    console.out.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)
