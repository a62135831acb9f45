"""The filling of a page's tables.

A table stands between ``<!-- table NAME -->`` and ``<!-- end -->``. The prose around it is left alone, and so is a
table for which no maker is given.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
Makers = Mapping[str, Callable[[], str]]


def markdown(head: Sequence[str], rows: Sequence[Sequence[str | None]]) -> str:
    """A table; what is not known is a dash."""
    lines = (head, ["---"] * len(head), *([each or "–" for each in row] for row in rows))
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def fill(page: Path, makers: Makers) -> None:
    """Write the tables that have a maker into a page, which is read once all of them are made."""
    wanted = set(re.findall(r"<!-- table ([a-z-]+) -->", page.read_text()))
    made = {name: make() for name, make in makers.items() if name in wanted}

    def filled(match: re.Match[str]) -> str:
        name = match[1]
        return f"<!-- table {name} -->\n\n{made[name]}\n\n<!-- end -->" if name in made else match[0]

    page.write_text(re.sub(r"<!-- table ([a-z-]+) -->.*?<!-- end -->", filled, page.read_text(), flags=re.S))
