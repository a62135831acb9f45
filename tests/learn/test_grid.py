import pytest

from graphldp.errors import ParameterError
from graphldp.learn.grid import Grid, paper_grid


def test_the_papers_grid() -> None:
    assert len(paper_grid("REDDIT-BINARY")) == 4 * 4 * 3 * 2
    assert paper_grid("github_stargazers").layers == (2, 3, 4)
    points = list(Grid(layers=(2,), hidden=(4, 8)))
    assert len(points) == 12
    assert points[0] == {"layers": 2, "hidden": 4, "lr": 1e-4, "dropout": 0.0}
    with pytest.raises(ParameterError, match="'hidden'"):
        Grid(hidden=())
