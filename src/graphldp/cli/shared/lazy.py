"""A group of commands whose modules are imported when one of them runs, and the one look of every ``--help``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from textwrap import wrap
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_BRACES = re.compile(r"^{(.*)}|^\[(\[.*)\](?:\.\.\.)?$")  # around what is named in brackets, or has to be there


def lazy_group(package: str, commands: Mapping[str, tuple[str, str]]) -> type[TyperGroup]:
    """A class for ``typer.Typer(cls=…)``: a command is one of a module's ``app``, or all of it.

    Args:
        package: where the commands' modules are.
        commands: each command's module, and the line that help shows of it: the first paragraph of its own help.
    """

    class LazyGroup(TyperGroup):
        """Commands that are a name and a line until they run."""

        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            for name, (_, line) in commands.items():
                self.add_command(TyperCommand(name, help=line, short_help=line))  # a short one is not cut off
            dress(self)

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            name, command, rest = super().resolve_command(ctx, args)
            return name, self.loaded(name) if name else command, rest

        def loaded(self, name: str) -> Any:
            """The command itself."""
            group = typer.main.get_group(import_module(f"{package}.{commands[name][0]}").app)
            command = group.commands.get(name, group)
            command.name = name
            dress(command)
            return command

    return LazyGroup


def dress(command: Any) -> None:
    """Give a command, and all below it, the look of every help, and values that are checked where they are given."""
    command.rich_markup_mode = None  # plain text: loading what draws boxes takes longer than all the rest
    for each in getattr(command, "commands", {}).values():
        dress(each)
        each.short_help = each.short_help or each.get_short_help_str(200)
    pieces, get_params = command.collect_usage_pieces, command.get_params
    command.collect_usage_pieces = lambda ctx: [_BRACES.sub(r"\1\2", each) for each in pieces(ctx)]
    command.get_params = lambda ctx: [_if_given(parameter) for parameter in get_params(ctx)]
    command.format_help_text = lambda _, formatter: _about(command.help or "", formatter)
    command.format_options = lambda ctx, formatter: _options(command, ctx, formatter)
    command.format_epilog = lambda _, formatter: _examples(command.epilog or "", formatter)


def _about(text: str, formatter: Any) -> None:
    """Write what a command does; an option's name stays in one line."""
    for part in text.split("\n\n"):
        lines = wrap(" ".join(part.split()), formatter.width - 2, break_long_words=False, break_on_hyphens=False)
        formatter.write("\n" + "".join(f"  {line}\n" for line in lines))


def _options(command: Any, ctx: Any, formatter: Any) -> None:
    """Write arguments and options, each under its title."""
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
    for each in command.get_params(ctx):
        record = each.get_help_record(ctx)
        if record is None:
            continue
        if each.param_type_name == "argument":
            record = each.metavar or each.name.upper(), each.help or ""
        title = each.rich_help_panel or f"{each.param_type_name.capitalize()}s"
        if each.name == "help" and len(sections) > 1:  # in the last section, where options have titles
            title = [*sections][-1]
        sections.setdefault(title, []).append(record)
    for title, records in ((title, records) for title, records in sections.items() if records):
        with formatter.section(title):
            formatter.write_dl(records)
    if hasattr(command, "format_commands"):
        command.format_commands(ctx, formatter)


def _examples(epilog: str, formatter: Any) -> None:
    """Write examples as they are typed; a long one goes on in the next line, as a shell takes it."""
    lines = [line for line in epilog.replace("Example: ", "Example:\n").replace(" && ", "\n").splitlines() if line]
    for line in lines[:1]:
        formatter.write(f"\n{line}\n")
    for line in lines[1:]:
        whole = re.sub("'.*?'", lambda quoted: quoted[0].replace(" ", "\xa0"), line)  # no break inside quotes
        room = formatter.width - (2 if len(line) <= formatter.width - 2 else 4)  # a line that goes on ends with " \\"
        parts = wrap(whole, room, break_long_words=False, break_on_hyphens=False)
        formatter.write("  " + " \\\n    ".join(parts).replace("\xa0", " ") + "\n")


def _if_given(parameter: Any) -> Any:
    """The parameter; it loads what checks a value only where one is given: that takes longer than the rest."""
    many = parameter.multiple or parameter.nargs not in (1, -1)
    if parameter.required or many or "process_value" in vars(parameter):
        return parameter
    process, callback = parameter.process_value, parameter.callback

    def light(ctx: Any, value: Any) -> Any:
        if value is not None and value != ():
            return process(ctx, value)
        return callback(ctx, parameter, None) if callback else None

    parameter.process_value = light
    return parameter
