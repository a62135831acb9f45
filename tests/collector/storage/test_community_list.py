"""Lists of communities, and what classes are called, on both databases."""

from __future__ import annotations

import pytest
from tests.collector.people import CHOICES, open_cats, report, submission

from graphldp.collector.community import MAX_LABEL
from graphldp.collector.storage import community_list as listing
from graphldp.collector.storage.community_list import (
    SORTS,
    STATES,
    CommunitySearch,
    class_sizes,
    list_communities,
    listed,
)
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError


def open_towns(store: Store) -> None:
    """Three communities; one of them in its second epoch, one closed, one called something else by now."""
    for id, n, label in (("oslo", 4, 1), ("bern", 2, None), ("rome", 3, 0)):
        roster = [f"user {user}" for user in range(n)]
        store.open_community(id, roster, mechanism="dprr", choices=CHOICES, name=id.title(), label=label)
    store.open_epoch("oslo")
    store.close_community("bern")
    store.rename("rome", "Ärger_100%")


def found(store: Store, **wanted: str) -> list[str]:
    return [line.community.id for line in list_communities(store, CommunitySearch(**wanted)).communities]  # type: ignore[arg-type]


def test_a_list_is_searched_sorted_and_filtered(store: Store) -> None:
    open_towns(store)
    assert found(store) == ["oslo", "rome", "bern"]  # the epoch that opened last is the newest
    assert found(store, sort="oldest") == ["bern", "rome", "oslo"]
    assert found(store, sort="largest") == ["oslo", "rome", "bern"]
    assert found(store, sort="smallest") == ["bern", "rome", "oslo"]
    assert sorted(found(store, sort="name")) == sorted(found(store))
    assert found(store, state="closed") == ["bern"]
    assert found(store, state="open") == ["oslo", "rome"]
    assert found(store, state="labelled") == ["oslo", "rome"]
    assert found(store, state="unlabelled") == ["bern"]
    assert found(store, search=" OSL ") == ["oslo"]
    assert found(store, search="os\0lo") == []
    assert found(store, search="Ärger") == ["rome"]
    assert found(store, search="rome") == ["rome"]  # by its id, whatever it is called
    for wildcard in ("%", "_"):  # they stand for themselves
        assert found(store, search=wildcard) == ["rome"]
    assert found(store, search="paris") == []


def test_a_list_is_sorted_by_the_share_that_has_reported(store: Store) -> None:
    """Two of two, one of four and none of three; of the last epoch alone, and by share, not by number."""
    for id, n, sent in (("oslo", 4, 1), ("bern", 2, 2), ("rome", 3, 3), ("rome", 3, 0)):
        if store.find(id):
            store.open_epoch(id)
            continue
        made, tokens = open_cats(store, id, n=n)
        store.accept([submission(made, u, tokens[u], report(u, neighbours=[(u + 1) % n], n=n)) for u in range(sent)])
    assert found(store, sort="most-reported") == ["bern", "oslo", "rome"]
    assert found(store, sort="least-reported") == ["rome", "oslo", "bern"]
    assert found(store, sort="most-reported", search="o") == ["oslo", "rome"]


def test_pages_hold_every_community_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    open_towns(store)
    for sort in SORTS:
        pages = [list_communities(store, CommunitySearch(sort=sort, page=page), per_page=2) for page in (1, 2, 3)]
        assert [len(page.communities) for page in pages] == [2, 1, 0]
        assert {line.community.id for page in pages for line in page.communities} == {"oslo", "bern", "rome"}
        assert {(page.found, page.users) for page in pages} == {(3, 9)}
    assert len(list_communities(store, CommunitySearch(), per_page=None).communities) == 3
    monkeypatch.setattr(listing, "PER_PAGE", 2)  # all on one page count by one query over all
    assert len(list_communities(store, CommunitySearch(), per_page=None).communities) == 3


def test_a_line_says_how_far_a_community_is(store: Store) -> None:
    cats, tokens = open_cats(store)
    store.accept([submission(cats, user, tokens[user], report(user)) for user in range(5)])
    store.holdings.delete("cats", 2)
    store.results.set_flags(cats.key, {1: "threshold"})
    (line,) = list_communities(store, CommunitySearch()).communities
    assert line == listed(store, "cats")
    assert (line.invited, line.reported, line.deleted, line.flagged) == (50, 4, 1, 1)


@pytest.mark.parametrize("wrong", [{"state": "new"}, {"sort": "label"}, {"page": 0}, {"page": 1 << 31}])
def test_a_list_that_is_none_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="of a list of communities must be"):
        CommunitySearch(**wrong)  # type: ignore[arg-type]
    assert {"all", "open"} < set(STATES)


def test_classes_are_named_and_keep_their_numbers(store: Store) -> None:
    open_towns(store)
    assert store.classes.names() == {}
    assert store.classes.number("7") == 7
    assert store.classes.number("news") == 2  # 0 and 1 are labels already
    assert store.classes.number(" news ") == 2
    store.classes.name(1, "talk")
    assert store.classes.number("talk") == 1
    store.classes.name(2, "reports")
    assert store.classes.names() == {1: "talk", 2: "reports"}
    assert class_sizes(store) == {0: 1, 1: 1}
    for number, name, said in ((1, "reports", "Another class"), (1, "12", "more than a number"), (1, "", "printable")):
        with pytest.raises(ParameterError, match=said):
            store.classes.name(number, name)
    for name in ("a\nb", "x" * 201, "99999999999"):
        with pytest.raises(ParameterError):
            store.classes.number(name)
    assert store.classes.names() == {1: "talk", 2: "reports"}


@pytest.mark.attack("collector")
def test_the_highest_class_leaves_no_number_for_a_new_name(store: Store) -> None:
    """Label a community 2147483647: on PostgreSQL, whoever typed the name of a new class got a 503 from then on."""
    open_towns(store)
    store.classes.name(MAX_LABEL, "last")
    with pytest.raises(ParameterError, match="No number is left"):
        store.classes.number("news")
    assert store.classes.number("last") == MAX_LABEL
    store.classes.name(5, "news")
    assert store.classes.number("news") == 5
