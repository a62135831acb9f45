"""Ask a user for her consent on the terminal, before anything is drawn."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from graphldp.cli.shared import console
from graphldp.errors import ClientError
from graphldp.text import printable

if TYPE_CHECKING:
    from graphldp.client.questions import Approve, Consent


def asker(*, yes: bool) -> Approve:
    """Show what there is to know and ask; ``yes`` shows it and goes on.

    ``yes`` takes every list, also one that matches nobody: a refusal that depends on the list would tell the collector
    about it.
    """

    def approve(question: Consent) -> bool:
        for line in question.in_words():
            console.err.print(line, markup=False, highlight=False, soft_wrap=True)
        if yes:
            return True
        if not sys.stdin.isatty():
            raise ClientError("There is no terminal to ask on: look at the above, and give --yes to agree to it.")
        return typer.confirm(printable(question.asks), err=True)

    return approve
