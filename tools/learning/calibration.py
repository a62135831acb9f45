"""Fill the tables of docs/guides/learning.md from the committed results: python -m tools.learning.calibration."""

from tools.fill import DOCS, fill, markdown
from tools.learning.max_aggregation import TABLES as AGGREGATIONS

from graphldp.experiments.results import ResultsFile
from graphldp.experiments.summary import points_of
from graphldp.pages.sections.calibration import COLUMNS, row_of

PAGES = (DOCS / "guides" / "learning.md",)
RESULTS = DOCS / "results" / "calibration.sqlite"


def calibration() -> str:
    """One row for each dataset, classifier and ε of which a seed is there, with how many there are."""
    with ResultsFile(RESULTS, create=False) as results:
        found = [(plan, points_of(plan, results.rows())) for plan in results.plans()]
    rows = [
        [plan.dataset, *row_of(point), f"{len(point.numbers)} of {plan.seeds}"]
        for plan, points in found
        for point in points
        if point.numbers
    ]
    return markdown(["dataset", *COLUMNS, "splits"], rows)


TABLES = {"calibration": calibration, **AGGREGATIONS}


if __name__ == "__main__":
    for page in PAGES:
        fill(page, TABLES)
