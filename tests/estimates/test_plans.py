"""What a plan says beforehand is what a survey's errors are."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks.surveys import curves
from tests.values import wrong

import graphldp as gl
from graphldp.errors import ParameterError
from graphldp.estimates import plans


def regular(n: int, friends: int) -> gl.GraphSet:
    """A ring in which everybody has so many friends, in groups of neighbours by fours."""
    user = np.arange(n)
    edges = [(user, (user + step) % n) for step in range(1, friends // 2 + 1)]
    source, target = (np.concatenate(each) for each in zip(*edges, strict=True))
    return gl.GraphSet.from_edges(source, target, [n]).with_groups(user % 4)


def test_the_plan_is_the_error_of_the_survey() -> None:
    graph, made = regular(400, 10), gl.plan(users=400, groups=4, epsilon=0.7, friends=10)
    expected = {row.name: row.error for row in made.rows}
    degrees = gl.statistics(gl.NoisyDegrees(0.7, noise="discrete").randomize(graph, rng=0))
    counts = gl.statistics(gl.FriendCounts(0.7).randomize(graph, rng=0))
    assert degrees["friendships"].error == pytest.approx(expected["friendships"])
    assert degrees["mean degree"].error == pytest.approx(expected["mean degree"])
    assert degrees["share without a friend"].error <= expected["share without a friend, at most"]
    assert counts["friendships between", "0", "1"].error == pytest.approx(expected["friendships between two groups"])
    assert counts["friendships between", "0", "0"].error == pytest.approx(expected["friendships inside a group"])
    assert counts["E–I index"].error == pytest.approx(expected["E–I index"], rel=0.3)


def test_the_plan_says_whether_a_second_round_is_worth_it() -> None:
    """The errors are near those of a survey: fewer degrees are spread than the plan guesses. Which is less is right."""
    for users, friends, better in ((500, 6, "two"), (40, 10, "one")):
        graph = regular(users, friends)
        made = gl.plan(users=users, epsilon=0.7, friends=friends, clustering=0.6)
        expected = {row.name: row.error for row in made.rows if row.survey in ("lists", "closed pairs")}
        one = gl.statistics(gl.RR(0.7).randomize(graph, rng=0))["triangles"].error
        answered = gl.ClosedPairs(0.7).randomize(graph, rng=0)
        two = gl.statistics(answered)["triangles"].error
        assert expected["triangles, in one round"] == pytest.approx(one, rel=0.2)
        assert expected["triangles, in two rounds"] == pytest.approx(two, rel=0.5)
        assert min(expected, key=expected.__getitem__) == f"triangles, in {better} round{'s' * (better == 'two')}"
        assert (two < one) == (better == "two")


def test_less_epsilon_fewer_users_or_fewer_answers_are_worse() -> None:
    base = gl.plan(users=200, groups=4)
    for other in (gl.plan(users=200, groups=4, epsilon=0.5), gl.plan(users=200, groups=4, reporting=0.5)):
        assert all(worse.error > row.error for worse, row in zip(other.rows, base.rows, strict=True))
    assert "± " in str(base)
    assert "friendships" in base._repr_html_()
    assert base.plot().axes
    assert {row["survey"] for row in base.to_records()} == {"degrees", "friend counts", "lists", "closed pairs"}


def test_too_little_epsilon_says_so_in_words_and_much_is_no_error() -> None:
    words = {
        epsilon: [row.words for row in gl.plan(users=50, groups=2, epsilon=epsilon).rows] for epsilon in (1e-3, 1e4)
    }
    assert all(each.endswith("; too noisy to tell") for each in words[1e-3])
    assert not any("too noisy" in each for each in words[1e4])
    assert "± 0 of about" in words[1e4][0]


def test_learning_curves_are_those_that_were_measured_nearby() -> None:
    small, large = gl.plan(users=50, epsilon=1.2), gl.plan(users=300, epsilon=3.0, reporting=0.6)
    assert "24 users" in small.measured
    assert "ε = 1," in small.measured
    assert "430 users" in large.measured
    assert "ε = 2, with 50% reporting" in large.measured
    for found in (small.learning, large.learning):
        assert [row.communities for row in found] == [20, 50, 100, 200, 400, 800]
        assert 0.5 < found[0].accuracy < found[-1].accuracy < 1
    written = json.loads(Path(plans.__file__).with_name("curves.json").read_text("utf-8"))
    assert json.loads(json.dumps(curves())) == written


def test_bad_input() -> None:
    for name, value in {
        "users": 1,
        "groups": 0,
        "epsilon": 0.0,
        "reporting": 1.5,
        "friends": 50.0,
        "clustering": 0.0,
    }.items():
        with pytest.raises(ParameterError, match=f"'{name}' parameter of plan"):
            gl.plan(**wrong({"users": 50} | {name: value}))
    for epsilon in (math.inf, math.nan, 1e300, 1e-20):  # whose errors no float holds
        with pytest.raises(ParameterError):
            gl.plan(users=50, epsilon=epsilon)


def test_the_extremes_have_errors() -> None:
    for users in (2, (1 << 31) - 1):
        for epsilon, share, friends in itertools.product((1e-6, 1e6), (1e-6, 1.0), (1e-6, users - 1)):
            some = {"reporting": share, "friends": friends, "clustering": share}
            made = gl.plan(users=users, groups=users, epsilon=epsilon, **some)
            assert all(math.isfinite(row.error) for row in made.rows)
            assert str(made)
