import numpy as np
import pytest

from graphldp.learn.tables import kernel
from graphldp.learn.tables.kernel import KernelMachine


def _rows(seed: int, count: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 4)) * [1.0, 10.0, 100.0, 0.0]  # the last column is the same for all
    return X, (X[:, 1] + rng.normal(size=count) > 0).astype(np.int64)


def test_the_shortcut_is_leave_one_out() -> None:
    """The sharpness that fit chooses is the one that as many refits, each without one graph, would choose."""
    X, y = _rows(0, 25)
    clf = KernelMachine(0).fit(X, y)
    K, sign = kernel._kernel(clf.rows, clf.rows), np.where(y[:, None] == [0, 1], 1.0, -1.0)
    without = np.empty_like(sign)
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        pull = np.linalg.solve(K[np.ix_(rest, rest)] + kernel._RIDGE * np.eye(len(rest)), sign[rest])
        without[i] = K[i, rest] @ pull
    losses = [-np.log(kernel._softmax(c * without)[np.arange(len(y)), y]).mean() for c in kernel._SHARPNESS]
    assert clf.sharpness == kernel._SHARPNESS[np.argmin(losses)]


def test_it_learns_and_a_constant_column_does_not_matter() -> None:
    """Noise of 1 on a column of deviation 10 leaves about 3 % of the labels to chance; 0.8 is far below."""
    X, y = _rows(1, 200)
    other, truth = _rows(2, 200)
    clf = KernelMachine(0).fit(X, y)
    chances = clf.predict_proba(other)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (chances.argmax(axis=1) == truth).mean() > 0.8
    np.testing.assert_allclose(KernelMachine(0).fit(X[:, :3], y).predict_proba(other[:, :3]), chances)


def test_three_classes() -> None:
    X = np.repeat(np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]]), 5, axis=0) + np.arange(15)[:, None] / 100
    y = np.repeat(np.arange(3), 5)
    np.testing.assert_array_equal(KernelMachine(0).fit(X, y).predict_proba(X).argmax(axis=1), y)


def test_of_very_many_graphs_some_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_MOST", 40)
    X, y = _rows(3)
    one, two = KernelMachine(5).fit(X, y), KernelMachine(5).fit(X, y)
    assert one.rows.shape == (40, 4)
    np.testing.assert_array_equal(one.rows, two.rows)


@pytest.mark.parametrize("seed", range(5))
def test_a_rare_class_is_not_lost_among_very_many(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(kernel, "_MOST", 40)
    X, _ = _rows(3)
    y = np.repeat([0, 1, 2], [56, 3, 1])
    chances = KernelMachine(seed).fit(X, y).predict_proba(X)
    assert chances.shape == (60, 3)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)


@pytest.mark.parametrize("count", [kernel._BLOCK - 1, kernel._BLOCK, kernel._BLOCK + 1, 2 * kernel._BLOCK])
def test_compiled_comparisons_are_the_kernel(count: int) -> None:
    """Rows of the largest distance that there is are among them."""
    X, y = _rows(4, count)
    clf = KernelMachine(0).fit(X, y)
    asked = np.concatenate((_rows(5)[0], np.full((1, 4), 1e9), np.full((1, 4), -1e9)))
    scores = kernel._kernel(clf._place(asked), clf.rows) @ clf.pull
    np.testing.assert_allclose(clf.predict_proba(asked), kernel._softmax(clf.sharpness * scores), rtol=1e-11)


def test_what_is_said_of_a_graph_does_not_depend_on_others() -> None:
    X, y = _rows(6)
    clf = KernelMachine(0).fit(X, y)
    alone = np.concatenate([clf.predict_proba(each[None]) for each in X])
    np.testing.assert_array_equal(clf.predict_proba(X), alone)
