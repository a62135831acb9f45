import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from graphldp.learn.tables.mixture import _threads


def test_trees_of_a_small_table_grow_on_one_thread() -> None:
    def threads() -> set[int]:
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "openmp"}

    with threadpool_limits(2, user_api="openmp"):
        with _threads(np.zeros((100, 1))):
            assert threads() == {1}
        with _threads(np.zeros((30_000, 1))):
            assert threads() == {2}
        assert threads() == {2}
