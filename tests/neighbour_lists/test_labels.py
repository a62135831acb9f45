import pytest

from graphldp.neighbour_lists.labels import promise


@pytest.mark.parametrize(
    ("certified", "words"),
    [
        (0, "one user could change it"),
        (1, "stands whatever up to 1 user sends"),
        (1234, "stands whatever up to 1,234 users send"),
    ],
)
def test_a_promise_in_words(certified: int, words: str) -> None:
    assert promise(certified) == words
