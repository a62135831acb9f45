import numpy as np
import pytest

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.learn.classifier import GINClassifier
from graphldp.learn.engine.training import EpochRecord
from graphldp.learn.grid import Grid, paper_grid
from graphldp.learn.search import select


def test_the_papers_grid() -> None:
    assert len(paper_grid("REDDIT-BINARY")) == 4 * 4 * 3 * 2
    assert paper_grid("github_stargazers").layers == (2, 3, 4)
    points = list(Grid(layers=(2,), hidden=(4, 8)))
    assert len(points) == 12
    assert points[0] == {"layers": 2, "hidden": 4, "lr": 1e-4, "dropout": 0.0}
    with pytest.raises(ParameterError, match="'hidden'"):
        Grid(hidden=())


@pytest.fixture(scope="module")
def graphs() -> gl.GraphSet:
    return gl.synthetic.threads(num_graphs=60, seed=1)


def test_the_best_point_on_validation_graphs_wins(graphs: gl.GraphSet) -> None:
    train, val, test = gl.split(graphs.labels, (0.5, 0.25, 0.25))
    base = GINClassifier(max_epochs=8, min_epochs=2, device="cpu", seed=3)
    grid = Grid(layers=(2, 3), hidden=(4,), lr=(1e-4, 1e-2), dropout=(0.0, 0.5))
    seen: dict[int, list[EpochRecord]] = {}
    found = select(
        graphs[train],
        validation=graphs[val],
        grid=grid,
        base=base,
        on_epoch=lambda point, record: seen.setdefault(point, []).append(record),
    )
    assert [point.params for point in found.points] == list(grid)
    assert sorted(seen) == list(range(len(grid)))
    assert found.best.val_accuracy == max(point.val_accuracy for point in found.points)
    ties = [p.val_loss for p in found.points if p.val_accuracy == found.best.val_accuracy]
    assert found.best.val_loss == min(ties)
    clf = found.classifier
    assert {name: clf.get_params()[name] for name in found.best.params} == found.best.params
    assert clf.seed == 3
    # what was reported of the winner is what it does on the validation graphs
    assert clf.score(graphs[val]) == pytest.approx(found.best.val_accuracy)
    assert clf.predict(graphs[test]).shape == (len(test),)


def test_a_point_is_what_it_would_be_alone(graphs: gl.GraphSet) -> None:
    """Up to the rounding of sums, which Adam's first steps blow up: they follow a gradient's sign, however small."""
    train, val = gl.split(graphs.labels, (0.75, 0.25))
    base = GINClassifier(max_epochs=3, min_epochs=1, device="cpu")
    grid = Grid(layers=(3,), hidden=(4,), lr=(1e-3, 1e-2), dropout=(0.0,))
    found = select(graphs[train], validation=graphs[val], grid=grid, base=base)
    params = found.best.params
    alone = base.set_params(**params).fit(graphs[train], validation=graphs[val])
    np.testing.assert_allclose(alone.predict_proba(graphs), found.classifier.predict_proba(graphs), atol=0.02)
