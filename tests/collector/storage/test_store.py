"""The store's contract, the same over SQLite and PostgreSQL."""

from __future__ import annotations

import threading
from datetime import UTC
from typing import Any

import pytest
from tests.collector.people import CHOICES, N, open_cats, submission

from graphldp.collector.storage.collecting.accepting import Ruling, Submission
from graphldp.collector.storage.database import open_engine
from graphldp.collector.storage.operating.results import Prediction, Run
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.wire import Choice


def test_a_community_comes_back_as_it_was_opened(store: Store) -> None:
    made, _ = open_cats(store, label=2)
    again = store.community("cats")
    assert again == made
    assert again.choices == CHOICES
    assert (again.n, again.mechanism, again.epoch, again.label) == (N, "dprr", 1, 2)
    assert again.opened_at is not None
    assert again.opened_at.tzinfo == UTC
    assert store.roster(again) == [f"cat {u}" for u in range(N)]
    assert store.communities() == [made]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "Cats!"}, "lower-case"),
        ({"mechanism": "public"}, "'mechanism' parameter"),
        ({"choices": []}, "one choice"),
        ({"choices": [Choice("a", 0.1, 0.9), Choice("a", 0.2, 0.8)]}, "distinct names"),
        ({"choices": [Choice("a", 0.1, 0.12345678)]}, "millionths"),
        ({"choices": [Choice("a\x1b[2J", 0.1, 0.9)]}, "A name is not printable"),
        ({"name": "cats\u202e"}, "'name' parameter of a community must be printable"),
        ({"name": "c" * 201}, "Got 201 characters instead"),
        ({"choices": [Choice("a", 0.0, 0.9)]}, "cannot be reported"),
        ({"mechanism": "rr", "choices": [Choice("a", 0.1, 0.9)]}, "does not report"),
        ({"label": -1}, "'label' parameter"),
        ({"roster": ["only one"]}, "2 to"),
        ({"roster": ["ann", "ann"]}, "names 1 and 2 are the same"),
        ({"roster": ["ann", "a\nb"]}, "name 2 is not printable"),
        ({"roster": ["ann", "Bob", "@bob"]}, "names 2 and 3 are the same"),
        ({"roster": ["ann", "bob", "\u0430nn"]}, "names 1 and 3 look alike"),
    ],
)
def test_what_cannot_be_opened_is_refused_and_leaves_nothing(store: Store, change: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"id": "cats", "roster": ["ann", "bob"], "mechanism": "dprr", "choices": CHOICES} | change
    with pytest.raises(ParameterError, match=said):
        store.open_community(**given)
    assert store.communities() == []


def test_an_id_is_taken_once(store: Store) -> None:
    open_cats(store)
    with pytest.raises(ParameterError, match="already"):
        open_cats(store)


@pytest.mark.attack("collector")
@pytest.mark.parametrize("slot", [1 << 31, 9_999_999_999])
def test_a_token_for_a_slot_beyond_any_opens_nothing(store: Store, slot: int) -> None:
    """A token whose slot is no number of PostgreSQL's was a 503, for a whole batch of others' answers too."""
    cats, tokens = open_cats(store)
    assert store.invitations.holders([(cats, tokens[7]), (cats, f"{slot}{tokens[7][1:]}")]) == [7, None]


def test_a_token_opens_its_slot_and_no_other(store: Store) -> None:
    cats, tokens = open_cats(store)
    dogs, others = open_cats(store, "dogs")
    assert len(set(tokens.values()) | set(others.values())) == 2 * N
    assert store.holder(cats, tokens[7]) == 7
    assert store.holder(dogs, tokens[7]) is None
    assert store.holder(cats, "7" + tokens[8][1:]) is None
    assert store.holder(cats, "nonsense") is None
    assert store.holder(cats, f"{N}" + tokens[7][1:]) is None
    assert store.invite("cats") == {}  # all have one
    renewed = store.invite("cats", [7])
    assert store.holder(cats, tokens[7]) is None
    assert store.holder(cats, renewed[7]) == 7
    with pytest.raises(ParameterError, match="slots"):
        store.invite("cats", [N])


def test_no_token_is_stored(store: Store) -> None:
    _, tokens = open_cats(store)
    key = store.operators.add("alice")
    with store.engine.connect() as connection:
        rows = [str(row) for row in connection.exec_driver_sql("SELECT * FROM slots")]
        rows += [str(row) for row in connection.exec_driver_sql("SELECT * FROM operators")]
    secrets = [token.partition(".")[2] for token in tokens.values()] + [key]
    assert not any(secret in row for row in rows for secret in secrets)


def test_a_slot_is_decided_once(store: Store) -> None:
    cats, tokens = open_cats(store)
    first, other = submission(cats, 0, tokens[0], b"first"), submission(cats, 0, tokens[0], b"other")
    assert store.accept([first]) == [Ruling.STORED]
    assert store.accept([first, other, first]) == [Ruling.REPEATED, Ruling.TAKEN, Ruling.REPEATED]
    assert [each.body for each in store.stored(cats)] == [b"first"]
    assert store.tally.degrees(cats) == {3: 1}
    assert store.tally.of() == {cats.key: (N, 1, 0)}


def test_within_one_transaction_the_first_of_a_slot_counts(store: Store) -> None:
    cats, tokens = open_cats(store)
    same, other = submission(cats, 4, tokens[4], b"same"), submission(cats, 4, tokens[4], b"other")
    forged = submission(cats, 4, tokens[5], b"forged")
    rulings = store.accept([forged, same, other, same])
    assert rulings == [Ruling.UNKNOWN, Ruling.STORED, Ruling.TAKEN, Ruling.REPEATED]
    assert [each.body for each in store.stored(cats)] == [b"same"]


def test_who_has_no_token_learns_nothing(store: Store) -> None:
    cats, tokens = open_cats(store)
    assert store.accept([submission(cats, 0, tokens[1], None)]) == [Ruling.UNKNOWN]
    assert store.accept([submission(cats, 0, tokens[0], None)]) == [Ruling.UNREADABLE]
    assert store.accept([submission(cats, N + 5, tokens[0], b"x")]) == [Ruling.UNKNOWN]
    store.close_community("cats")
    assert store.accept([submission(cats, 0, tokens[1], b"x")]) == [Ruling.UNKNOWN]


def test_a_closed_community_takes_nothing_new_and_knows_what_it_has(store: Store) -> None:
    cats, tokens = open_cats(store)
    store.accept([submission(cats, 0, tokens[0], b"x")])
    store.close_community("cats")
    late = [submission(cats, 0, tokens[0], b"x"), submission(cats, 0, tokens[0], b"y")]
    assert store.accept([*late, submission(cats, 1, tokens[1], b"x")]) == [
        Ruling.REPEATED,
        Ruling.TAKEN,
        Ruling.CLOSED,
    ]


def test_a_new_epoch_takes_the_same_tokens_once_more(store: Store) -> None:
    cats, tokens = open_cats(store, label=1)
    store.accept([submission(cats, 0, tokens[0], b"one")])
    second = store.open_epoch("cats")
    assert (second.epoch, second.key != cats.key, second.label, second.closed_at) == (2, True, 1, None)
    assert store.roster(second) == store.roster(cats)
    assert store.communities() == [second]
    assert store.accept([submission(second, 0, tokens[0], b"two")]) == [Ruling.STORED]
    assert store.accept([submission(cats, 1, tokens[1], b"late")]) == [Ruling.OUTDATED]
    assert store.accept([submission(cats, 1, tokens[0], b"late")]) == [Ruling.UNKNOWN]
    assert [each.body for each in store.stored(cats)] == [b"one"]


def test_two_servers_that_take_the_same_slots_agree(database: str) -> None:
    """Each of two stores gets its own bytes for every slot, in another order, many times over: one wins each slot."""
    first, second = Store(open_engine(database)), Store(open_engine(database))
    cats, tokens = open_cats(first)
    rulings: dict[str, list[Ruling]] = {"a": [], "b": []}
    barrier = threading.Barrier(2)

    def submit(name: str, store: Store, users: list[int]) -> None:
        barrier.wait()
        for start in range(0, N, 5):
            some = [submission(cats, u, tokens[u], f"{name}{u}".encode()) for u in users[start : start + 5]]
            rulings[name] += store.accept(some)

    orders = {"a": list(range(N)), "b": list(range(N))[::-1]}
    threads = [
        threading.Thread(target=submit, args=(name, store, orders[name]))
        for name, store in (("a", first), ("b", second))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    won = {name: dict(zip(orders[name], rulings[name], strict=True)) for name in orders}
    for user in range(N):
        assert {won["a"][user], won["b"][user]} == {Ruling.STORED, Ruling.TAKEN}
    for each in first.stored(cats):
        assert each.body.decode().startswith("a" if won["a"][each.user] is Ruling.STORED else "b")
    first.close()
    second.close()


def test_tokens_are_kept_for_the_epoch_that_is_open_by_then(store: Store) -> None:
    """One operator invites anew while another one renews: the old token was once good in the new epoch, the new not."""
    _, tokens = open_cats(store)
    drawn = store.invitations.draw("cats", [7])
    second = store.open_epoch("cats")
    store.invitations.keep("cats", drawn, replace=True)
    assert store.holder(second, drawn[7]) == 7
    assert store.holder(second, tokens[7]) is None


def test_the_first_free_slots_are_drawn(store: Store) -> None:
    store.open_community("cats", [f"cat {u}" for u in range(9)], mechanism="dprr", choices=CHOICES)
    store.invitations.keep("cats", store.invitations.draw("cats", [0, 3, 8]), replace=True)
    assert list(store.invitations.draw("cats", None, 4)) == [1, 2, 4, 5]
    assert list(store.invitations.draw("cats")) == [1, 2, 4, 5, 6, 7]


def test_two_who_invite_at_once_do_not_void_each_others_tokens(store: Store) -> None:
    cats = store.open_community("cats", ["ann", "bob"], mechanism="dprr", choices=CHOICES)
    mine, theirs = store.invitations.draw("cats"), store.invitations.draw("cats")
    store.invitations.keep("cats", mine, replace=False)
    with pytest.raises(ParameterError, match="a moment ago"):
        store.invitations.keep("cats", theirs, replace=False)
    assert [store.holder(cats, mine[user]) for user in (0, 1)] == [0, 1]
    drawn = store.invitations.draw("cats", [0])
    store.close_community("cats")
    with pytest.raises(ParameterError, match="closed"):
        store.invitations.keep("cats", drawn, replace=True)
    assert store.holder(cats, mine[0]) == 0
    with pytest.raises(ParameterError, match="open community"):
        store.invitations.draw("cats", [0])


@pytest.mark.attack("storage")
def test_operators_who_act_at_once_lose_nothing(database: str) -> None:
    """Two operators at once.

    Renewals and invitations in turns from two sides: afterwards the last token, and it alone, opens its slot.
    """
    first, second = Store(open_engine(database)), Store(open_engine(database))
    open_cats(first)
    barrier = threading.Barrier(2)
    issued: list[str] = []
    refused: list[str] = []

    def renew() -> None:
        for _ in range(8):
            barrier.wait()
            first.open_epoch("cats")

    def invite() -> None:
        for _ in range(8):
            barrier.wait()
            issued.append(second.invite("cats", [7])[7])

    threads = [threading.Thread(target=act) for act in (renew, invite)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    latest = first.community("cats")
    assert latest.epoch == 9
    assert [first.holder(latest, token) for token in issued] == [None] * 7 + [7]

    def race(store: Store) -> None:
        barrier.wait()
        try:
            store.open_epoch("cats")
        except ParameterError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=race, args=(store,)) for store in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert first.community("cats").epoch == 11 - len(refused)  # both in turn, or one for the two of them
    first.close()
    second.close()


def test_closing_twice_keeps_the_first_moment(store: Store) -> None:
    open_cats(store)
    store.close_community("cats")
    closed = store.community("cats")
    store.close_community("cats")
    assert store.community("cats") == closed


def test_a_thousand_in_one_transaction(store: Store) -> None:
    big, tokens = open_cats(store, "big", n=1000)
    many = [submission(big, u, tokens[u], bytes([u % 256]) * 40) for u in range(1000)]
    assert store.accept(many) == [Ruling.STORED] * 1000
    assert store.accept(many[::-1]) == [Ruling.REPEATED] * 1000
    assert {each.user: each.body for each in store.stored(big)} == {s.user: s.body for s in many}


def test_nothing_to_accept(store: Store) -> None:
    empty: list[Submission] = []
    assert store.accept(empty) == []


def test_operators_are_a_role_of_their_own(store: Store) -> None:
    cats, tokens = open_cats(store)
    key = store.operators.add("alice")
    assert store.holder(cats, key) is None
    assert store.operators.log_in(tokens[0], 1.0) is None
    secret = store.operators.log_in(key, 1.0)
    assert secret is not None
    session = store.operators.session(secret)
    assert session is not None
    assert (session.operator, len(session.csrf)) == ("alice", 43)
    assert store.operators.session(key) is None
    store.operators.log_out(secret)
    assert store.operators.session(secret) is None
    with pytest.raises(ParameterError, match="already"):
        store.operators.add("alice")


def test_a_session_ends_in_time_or_with_its_operator(store: Store) -> None:
    key = store.operators.add("alice")
    over = store.operators.log_in(key, 0.0)
    lasting = store.operators.log_in(key, 1.0)
    assert over is not None
    assert lasting is not None
    assert store.operators.session(over) is None
    assert store.operators.session(lasting) is not None
    store.operators.remove("alice")
    assert store.operators.session(lasting) is None
    assert store.operators.all() == []
    with pytest.raises(ParameterError, match="name of an operator"):
        store.operators.remove("alice")


def test_what_training_leaves(store: Store) -> None:
    cats, _ = open_cats(store)
    results = store.results
    results.add_run(Run("a.npz", 3, 90, 80, 0.75, {"seed": 1}))
    results.add_run(Run("b.npz", 4, 95, 85, None, {"seed": 2}))
    assert [(run.model, run.validation, run.settings["seed"]) for run in results.runs()] == [
        ("b.npz", None, 2),
        ("a.npz", 0.75, 1),
    ]
    results.set_predictions([])
    for label in (0, 1):
        results.set_predictions([Prediction(cats.key, label, 0.9, 40, "b.npz")])
    assert results.predictions()[cats.key].label == 1
    results.set_flags(cats.key, {3: "threshold", 1: "guard-accuracy"})
    assert results.flags(cats.key) == {1: "guard-accuracy", 3: "threshold"}
    assert results.flag_counts() == {cats.key: 2}
    results.set_flags(cats.key, {})
    assert results.flag_counts() == {}
