"""A group of commands whose modules are imported when one of them runs, so that help comes at once."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


def lazy_group(package: str, lines: Mapping[str, str]) -> type[TyperGroup]:
    """A class for ``typer.Typer(cls=…)``: command ``name`` is the function or the group of ``package.name``.

    Args:
        package: where the commands' modules are. Each holds an ``app``, or a function of its own name and ``EPILOG``.
        lines: each command and the line that help shows of it, which is the first paragraph of its own help.
    """

    class LazyGroup(TyperGroup):
        """Commands that are a name and a line until they run."""

        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.rich_markup_mode = None  # plain text: loading what draws boxes takes longer than all the rest
            for name, line in lines.items():
                self.add_command(TyperCommand(name, help=line, short_help=line))  # a short one is not cut off

        def get_params(self, ctx: Any) -> list[Any]:
            return [_if_given(parameter) for parameter in super().get_params(ctx)]

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            name, command, rest = super().resolve_command(ctx, args)
            return name, self.loaded(name) if name else command, rest

        def loaded(self, name: str) -> Any:
            """The command itself."""
            module = import_module(f"{package}.{name}")
            if hasattr(module, "app"):
                group = typer.main.get_group(module.app)
                group.name = name
                return _light(group)
            alone = typer.Typer(add_completion=False)
            alone.command(epilog=module.EPILOG)(getattr(module, name))
            return _light(typer.main.get_command(alone))

    return LazyGroup


def _light(command: Any) -> Any:
    """The same command, whose help fits every terminal.

    It loads what checks a value only where one is given: that takes longer than the rest.
    """
    for each in getattr(command, "commands", {}).values():
        _light(each)
    if command.help:  # a paragraph is one line, which a terminal of any width breaks by itself
        command.help = "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n"))
    get_params = command.get_params
    command.get_params = lambda ctx: [_if_given(parameter) for parameter in get_params(ctx)]
    return command


def _if_given(parameter: Any) -> Any:
    if parameter.required or parameter.multiple or parameter.nargs != 1 or "process_value" in vars(parameter):
        return parameter
    process, callback = parameter.process_value, parameter.callback

    def light(ctx: Any, value: Any) -> Any:
        if value is not None:
            return process(ctx, value)
        return callback(ctx, parameter, None) if callback else None

    parameter.process_value = light
    return parameter
