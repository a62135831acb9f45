"""The command line: ``graphldp COMMAND``. One file per command; heavy libraries load inside the commands.

Bad input ends with exit code 2 and one line on standard error; Ctrl-C ends with 130 and leaves no half-written file.
"""

from __future__ import annotations

import io
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from graphldp import __version__
from graphldp.cli import (
    attack,
    audit,
    bench,
    client,
    collect,
    datasets,
    defend,
    demo,
    evaluate,
    mechanisms,
    page,
    predict,
    randomize,
    reproduce,
    serve,
    threats,
    train,
)
from graphldp.errors import GraphLDPError, extra_named
from graphldp.text import printable

app = typer.Typer(
    name="graphldp",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=demo.EPILOG)(demo.demo)
app.add_typer(datasets.app, name="datasets")
app.command(epilog=mechanisms.EPILOG)(mechanisms.mechanisms)
app.command(epilog=threats.EPILOG)(threats.threats)
app.command(epilog=randomize.EPILOG)(randomize.randomize)
app.command(epilog=train.EPILOG)(train.train)
app.command(epilog=evaluate.EPILOG)(evaluate.evaluate)
app.command(epilog=predict.EPILOG)(predict.predict)
app.command(epilog=attack.EPILOG)(attack.attack)
app.command(epilog=defend.EPILOG)(defend.defend)
app.command(epilog=reproduce.EPILOG)(reproduce.reproduce)
app.command(epilog=page.EPILOG)(page.page)
app.add_typer(audit.app, name="audit")
app.add_typer(bench.app, name="bench")
app.command(epilog=serve.EPILOG)(serve.serve)
app.add_typer(collect.app, name="collect")
app.add_typer(client.app, name="client")


def _version(asked: bool) -> None:
    if asked:
        print(f"graphldp {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Learn from social graphs without seeing anyone's friends."""


def main() -> None:
    """Run the command line and turn every expected error into one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that knows no ε must not end what has been sent already
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with extra_named("This command"):
            code = _run()
    except typer.Abort:
        code = _fail("interrupted; nothing half-written was left behind.", 130)
    except typer.TyperException as error:
        code = _fail(error.format_message(), 2)
    except GraphLDPError as error:
        code = _fail(str(error), 2)
    except OSError as error:
        code = _fail(f"{error.filename or 'file'}: {error.strerror or error}", 2)
    sys.exit(code if isinstance(code, int) else 0)


def _run() -> object:
    """Run the command that was asked for; whatever Ctrl-C turns into on its way up, it ends as typer.Abort."""
    seen = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        signal.default_int_handler(number, frame)

    theirs = signal.getsignal(signal.SIGINT)
    if theirs is signal.default_int_handler:  # a shell may have told a background job to ignore it
        signal.signal(signal.SIGINT, interrupt)
    try:
        code: object = typer.main.get_command(app).main(prog_name="graphldp", standalone_mode=False)
    except Exception:
        if seen:  # a library caught KeyboardInterrupt and raised an error of its own
            raise typer.Abort from None
        raise
    finally:
        signal.signal(signal.SIGINT, theirs)
    if code == 130:  # what typer makes of Ctrl-C
        raise typer.Abort
    return code


def _fail(message: str, code: int) -> int:
    if message:  # none where the help was printed for want of a command
        print(f"graphldp: {printable(' '.join(message.split()))}", file=sys.stderr)
    return code
