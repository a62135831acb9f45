"""Fill the list of mutants in docs/evidence/audit.md: python -m tools.mutants."""

import tomllib
from collections.abc import Callable

from tools.fill import DOCS, fill, markdown

PAGES = (DOCS / "evidence" / "audit.md",)
LIST = DOCS.parent / "benchmarks" / "proof" / "mutants.toml"


def mutants() -> str:
    """What is broken, where, and which test or audit must notice."""
    rows = [
        [each["breaks"], f"`{each['file']}`", f"`{each['catcher'].removeprefix('tests/').replace('::', ': ')}`"]
        for each in tomllib.loads(LIST.read_text())["mutant"]
    ]
    return markdown(["what is broken", "in", "caught by"], rows)


TABLES: dict[str, Callable[[], str]] = {"mutants": mutants}


if __name__ == "__main__":
    fill(PAGES[0], TABLES)
