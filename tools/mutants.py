"""Fill the list of mutants in docs/audit.md: python -m tools.mutants."""

import tomllib
from collections.abc import Callable

from tools.fill import DOCS, fill, markdown

PAGES = (DOCS / "audit.md",)
LIST = DOCS.parent / "benchmarks" / "proof" / "mutants.toml"


def mutants() -> str:
    """What is broken, where, and which test or audit must notice."""
    rows = [
        [each["breaks"], f"`{each['file']}`", f"`{each['catcher'].removeprefix('tests/').replace('::', ': ')}`"]
        for each in tomllib.loads(LIST.read_text())["mutant"]
    ]
    return markdown(["what is broken", "in", "caught by"], rows)


TABLES: dict[str, Callable[[], str]] = {"mutants": mutants}


def main() -> None:
    """Write the table into the page."""
    for page in PAGES:
        fill(page, TABLES)


if __name__ == "__main__":
    main()
