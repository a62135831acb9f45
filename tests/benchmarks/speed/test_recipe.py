from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.speed import recipe


@pytest.mark.long
@pytest.mark.usefixtures("few_trees")
def test_the_recipe_is_measured_on_more_and_more_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, where small sizes can be set."""
    monkeypatch.setattr(recipe, "dataset", lambda root: recipe.small_graphs(60))
    monkeypatch.setattr(recipe, "LADDER", (80, 160))
    monkeypatch.setattr(recipe, "alone", lambda measured, *arguments: measured(*arguments))
    rows = first, *ladder = list(recipe.run(None))
    shares = [first[f"{part}_share"] for part in ("features", "trees", "kernel")]
    assert min(shares) >= 0 < max(shares)  # features of 60 small graphs may round to nothing
    assert sum(shares) <= 1.02  # each is rounded
    assert [row["learned_from"] for row in ladder] == [68, 136]
    recipe.picture(rows, tmp_path / "recipe.svg")
    assert (tmp_path / "recipe.svg").read_text().startswith("<?xml")
