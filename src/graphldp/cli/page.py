"""``graphldp page``: a results file as one self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphldp.cli.shared import console
from graphldp.cli.shared.options import out_help, place
from graphldp.errors import FormatError
from graphldp.files.whole import written_whole

EPILOG = """Examples:

graphldp page results.sqlite --out page.html

graphldp page docs/results/reddit-binary.sqlite --out page.html --figures figures
"""


def page(
    results: Annotated[
        Path,
        typer.Argument(help="What 'reproduce', 'train', 'evaluate' and others computed.", metavar="RESULTS"),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help=out_help("The page", "page.html"))] = Path("page.html"),
    figures: Annotated[
        Path | None, typer.Option(help="A folder for the charts as files of their own.", metavar="FOLDER")
    ] = None,
    as_json: console.JsonOption = False,
) -> None:
    """Write one HTML page that needs no network: figures, the same numbers as tables, and what is missing."""
    from graphldp.experiments.results import ResultsFile
    from graphldp.pages.page import make_page
    from graphldp.pages.plots import standalone

    with ResultsFile(results, create=False) as table:
        text, charts = make_page(table)
        if not table.plans():
            raise FormatError(f"{results}: holds no experiment yet; 'reproduce' and 'train' compute some.")
    out = place(out, "page.html", "page")
    _write(out, text)
    if figures is not None:
        figures.mkdir(parents=True, exist_ok=True)
        for name, svg in charts.items():
            _write(figures / f"{_file_name(name)}.svg", standalone(svg))
    console.show_one({"page": str(out), "charts": len(charts), "bytes": out.stat().st_size}, as_json=as_json)


def _file_name(name: str) -> str:
    return "".join(each if each in "-." or (each.isalnum() and each.isascii()) else "-" for each in name).lower()


def _write(path: Path, text: str) -> None:
    with written_whole(path) as file:
        file.write(text.encode())
