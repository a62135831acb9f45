from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

import graphldp as gl
from graphldp.learn.engine import rows
from graphldp.learn.engine.stacking.stack import Stack
from graphldp.learn.engine.threads import SMALL, threads_for


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    with threadpool_limits(2, "blas"):  # whatever OMP_NUM_THREADS says
        yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("users", "threads"), [(0, 1), (64 * 19.77, 1), (64 * 137, 1), (SMALL, 1), (SMALL + 1, 8), (64 * 429.63, 8)]
)
def test_small_batches_take_one_thread(users: float, threads: int) -> None:
    """Those of IMDB-BINARY and of the embedded threads do, those of REDDIT-BINARY do not."""
    assert threads_for(users, 8) == threads


def test_never_more_than_given() -> None:
    assert threads_for(SMALL * 100, 1) == 1


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(
    ("pays", "users", "threads", "product"),
    [(0.0, 4, 1, 1), (0.0, SMALL // 4 + 1, 2, 1), (math.inf, SMALL // 4 + 1, 1, 2)],
)
def test_training_uses_them_and_leaves_torch_as_it_was(
    pays: float, users: int, threads: int, product: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain operations have one thread whatever the size, so that sums do not depend on how many there are."""
    monkeypatch.setattr(rows, "PAYS", pays)
    seen = []
    epoch = Stack.epoch

    def watched(stack: Stack) -> torch.Tensor:
        products = [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
        seen.append((torch.get_num_threads(), set(products)))
        return epoch(stack)

    monkeypatch.setattr(Stack, "epoch", watched)
    ring = range(users)
    source = [user + graph * users for graph in range(8) for user in ring]
    target = [(user + 1) % users + graph * users for graph in range(8) for user in ring]
    graphs = gl.GraphSet.from_edges(source, target, [users] * 8, [0, 1] * 4)
    clf = gl.GINClassifier(layers=2, hidden=4, max_epochs=1, min_epochs=1, batch_size=4, device="cpu")
    clf.fit(graphs[:6], validation=graphs[6:])
    assert seen == [(threads, {product})]  # of NumPy, which compiled passes alone use: one thread's in any case
    assert torch.get_num_threads() == 2
