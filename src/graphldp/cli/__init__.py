"""The command line: ``graphldp COMMAND``. One file per command, imported when it runs.

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
from graphldp.cli.shared.lazy import lazy_group
from graphldp.cli.shared.renamed import refuse_old
from graphldp.errors import GraphLDPError, extra_named
from graphldp.files.text import printable

COMMANDS = {
    "demo": (
        "demo",
        "Add every kind of noise to 300 invented discussion threads, train on them, and show tables, pictures and "
        "a page.",
    ),
    "dataset": ("dataset", "List the known datasets, describe one, or download some."),
    "mechanism": (
        "names",
        "Show every mechanism by name: what users send, whether devices can send it, and its settings.",
    ),
    "threat": ("names", "Show every attack and every defense by name, and whose reports they are for."),
    "randomize": ("randomize", "Draw one noisy report for every user, and say what was promised to whom."),
    "train": ("train", "Train classifiers on noisy reports and say how good they are."),
    "predict": ("predict", "Label every graph, with probabilities."),
    "statistics": ("survey", "Say what communities look like, each number with its 95 % interval."),
    "plan": ("survey", "Say which errors to expect of a survey, before anybody is asked."),
    "attack": ("attack", "Let malicious users rewrite their reports, as in Section 6 of the paper and beyond it."),
    "defend": ("attack", "Judge every user of a reports file, and take flagged reports out."),
    "reproduce": ("reproduce", "Compute the paper's tables and figures, each cell once."),
    "page": (
        "reproduce",
        "Write one HTML page that needs no network: figures, the same numbers as tables, and what is missing.",
    ),
    "audit": ("audit", "Check that mechanisms, the client and the wire keep what they promise."),
    "bench": ("demo", "Measure a draw and an epoch of training here, beside PyTorch Geometric in the same run."),
    "serve": ("serve", "Run the collector: take one noisy report from each user, once, and keep it."),
    "collect": ("collect", "Open communities, invite users, and learn from what they reported."),
    "client": ("client", "Report your friends to a community, noisily and once. Your list stays on this device."),
}
"""Each command, the module that holds it, and the line that help shows of it."""

app = typer.Typer(
    name="graphldp",
    cls=lazy_group("graphldp.cli", COMMANDS),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
            refuse_old(sys.argv[1:])
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


def _wrapped(text: str) -> str:
    """Cut between words, as wide as the terminal."""
    from shutil import get_terminal_size
    from textwrap import fill

    return fill(text, get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)


def _fail(message: str, code: int) -> int:
    if message.startswith("Usage: "):  # the help of a group, for want of a command
        print(message, file=sys.stderr)
    else:
        text = f"graphldp: {printable(' '.join(message.split()))}"
        print(_wrapped(text) if sys.stderr.isatty() else text, file=sys.stderr)
    return code
