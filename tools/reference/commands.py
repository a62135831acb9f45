"""The command line, with all its arguments and options."""

from __future__ import annotations

import re

import typer
from typer.cli import get_docs_for_click
from typer.core import TyperGroup

from graphldp.cli import app as commands_app


def command_tree() -> TyperGroup:
    """The command line with every command imported."""
    return _loaded(typer.main.get_group(commands_app))


def _loaded(group: TyperGroup) -> TyperGroup:
    for name in group.list_commands(typer.Context(group)):
        command = group.loaded(name) if hasattr(group, "loaded") else group.commands[name]
        command.name = name
        group.commands[name] = _loaded(command) if isinstance(command, TyperGroup) else command
    return group


def commands() -> str:
    """Every command with its arguments and options."""
    command = command_tree()
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="graphldp")
    text = re.sub(r"(?m)^\* `--(install|show)-completion`.*\n", "", text)
    # the examples at a command's foot: one block instead of a paragraph each
    text = re.sub(
        r"(?m)^Examples:\n+((?:graphldp .*\n+)+)",
        lambda found: "**Examples**:\n\n```\n" + re.sub(r"\n+", "\n", found[1]).strip() + "\n```\n\n",
        text,
    )
    return text.partition("\n")[2]  # the page has a title of its own
