"""Fill the tables of docs and README from the results in docs/results: python -m tools.reproduction.tables.

With the folder of the datasets as its argument the one table that is not in the results, a probe of list lengths, is
drawn again too.
"""

import sys
from collections.abc import Callable
from functools import partial

from tools.fill import DOCS, fill
from tools.reproduction.beyond import TABLES as BEYOND
from tools.reproduction.paper import PROBES
from tools.reproduction.paper import TABLES as PAPER
from tools.reproduction.searches import TABLES as SEARCHES

PAGES = (DOCS / "reproduction.md", DOCS / "beyond.md", DOCS.parent / "README.md")
TABLES: dict[str, Callable[[], str]] = {**PAPER, **BEYOND, **SEARCHES}


def main() -> None:
    """Write the tables into the pages."""
    tables = dict(TABLES)
    if len(sys.argv) > 1:
        tables |= {name: partial(make, sys.argv[1]) for name, make in PROBES.items()}
    for page in PAGES:
        fill(page, tables)


if __name__ == "__main__":
    main()
