"""Fill tables and draw pictures of docs and README from docs/results: python -m tools.reproduction.tables."""

from collections.abc import Callable

from tools.fill import DOCS, fill
from tools.reproduction.paper import TABLES as PAPER
from tools.reproduction.recipe import PICTURES
from tools.reproduction.recipe import TABLES as RECIPE
from tools.reproduction.searches import TABLES as SEARCHES

from graphldp.pages.plots import standalone

PAGES = (DOCS / "evidence" / "recipe.md", DOCS / "evidence" / "reproduction.md", DOCS.parent / "README.md")
FIGURES = DOCS / "evidence" / "figures"
TABLES: dict[str, Callable[[], str]] = {**PAPER, **RECIPE, **SEARCHES}


def main() -> None:
    """Write the tables into the pages, and the pictures beside them."""
    for page in PAGES:
        fill(page, TABLES)
    for name, draw in PICTURES.items():
        (FIGURES / f"{name}.svg").write_text(standalone(draw()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
