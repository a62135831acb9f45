"""Attacks on reports that are degrees: what liars say, who they are, and that everybody else is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.threats import (
    Attack,
    CopyLargest,
    DegreeShift,
    FakeHub,
    Imitation,
    ListAttack,
    Mimics,
    Poison,
    SilentHubs,
    StayAway,
)
from graphldp.threats.named import ATTACKS, make_attack
from graphldp.wire import DEGREE_RANGE

MECHANISMS = (gl.NoisyDegrees(1.0, noise="discrete"), gl.HubLists(2.0, times=3.0), gl.HubCounts(1.0, times=3.0))
NAMES = [name for name, each in ATTACKS.items() if not issubclass(each.kind, ListAttack)]


@pytest.fixture(scope="module", params=MECHANISMS, ids=lambda each: type(each).__name__)
def drawn(request: pytest.FixtureRequest, threads: gl.GraphSet) -> gl.Reports:
    """Forty graphs with hubs, by each mechanism whose reports are degrees."""
    made: gl.Reports = request.param.randomize(threads, rng=7)
    return made


def top(reports: gl.Reports) -> np.ndarray:
    return np.maximum.reduceat(some(reports.noisy_degree), reports.graph_ptr[:-1])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("who", [{"fraction": 0.1}, {"liars": 1}], ids=str)
def test_reports_stay_valid_and_honest_users_are_left_alone(
    name: str, who: dict[str, float], drawn: gl.Reports
) -> None:
    attack = make_attack(name, **wrong(who))
    graphs = np.arange(0, drawn.num_graphs, 3)
    forged, liars = attack.apply(drawn, rng=5, graphs=graphs), attack.malicious(drawn, rng=5, graphs=graphs)
    forged.changed(trusted=False)
    expected = np.zeros(drawn.num_graphs)
    expected[graphs] = 1 if "liars" in who else np.floor(0.1 * drawn.sizes[graphs] + 1e-9)
    assert np.array_equal(np.bincount(drawn.graph_of_user[liars], minlength=drawn.num_graphs), expected)
    before, after = some(drawn.noisy_degree), some(forged.noisy_degree)
    assert np.array_equal(after[~liars], before[~liars])
    for user in np.flatnonzero(~liars)[::17]:
        one, two = (r.indices[r.indptr[user] : r.indptr[user + 1]] for r in (drawn, forged))
        assert np.array_equal(one, two)
    low, high = DEGREE_RANGE
    assert ((after >= low) & (after <= high) & (after == np.rint(after))).all()
    again = attack.apply(drawn, rng=5, graphs=graphs)
    assert np.array_equal(some(again.noisy_degree), after)
    if forged.answers is not None and name != "stay-away":  # the server publishes who is busy from what it was told
        assert np.array_equal(forged.answers.busy[liars], after[liars] >= gl.HubCounts(1.0).busy)


@pytest.mark.attack("learning")
def test_what_liars_claim(drawn: gl.Reports) -> None:
    """The busiest user claims one friend, or does not report."""
    before, n = some(drawn.noisy_degree), np.repeat(drawn.sizes, drawn.sizes)

    def told(attack: Attack) -> tuple[np.ndarray, np.ndarray]:
        liars = attack.malicious(drawn, rng=3)
        return some(attack.apply(drawn, rng=3).noisy_degree)[liars], liars

    said, liars = told(FakeHub(liars=1))
    assert np.array_equal(said, n[liars] - 1)
    said, liars = told(FakeHub(0.5, fraction=0.2))
    assert np.array_equal(said, np.rint((n[liars] - 1) / 2))
    said, liars = told(DegreeShift(-3, fraction=0.2))
    assert np.array_equal(said, before[liars] - 3)
    said, liars = told(SilentHubs(liars=1))
    assert np.array_equal(said, np.ones(drawn.num_graphs))
    assert np.array_equal(before[liars], top(drawn))
    said, liars = told(CopyLargest(liars=1))
    others = np.where(liars, -np.inf, before)
    assert np.array_equal(said, np.maximum.reduceat(others, drawn.graph_ptr[:-1]))
    said, liars = told(Mimics(fraction=0.2))
    assert (said >= np.floor(0.25 * (n[liars] - 1))).all()
    said, _ = told(CopyLargest(fraction=1.0))  # nobody is left to copy
    assert np.array_equal(said, before)


@pytest.mark.attack("learning")
def test_whoever_stays_away_has_not_reported(drawn: gl.Reports) -> None:
    """The busiest user claims one friend, or does not report."""
    away = StayAway(liars=2).apply(drawn, rng=1)
    assert away.missing is not None
    gone = np.sort(some(drawn.noisy_degree)[away.missing].reshape(-1, 2), axis=1)[:, 1]
    assert np.array_equal(gone, top(drawn))
    assert away.induced().num_users == drawn.num_users - 2 * drawn.num_graphs
    if away.answers is not None:
        assert not away.answers.asked[away.missing].any()


@pytest.mark.attack("learning")
def test_imitators_have_the_degrees_of_the_nearest_graph_of_the_other_class(drawn: gl.Reports) -> None:
    """Claim the largest degree of a community of the other class."""
    labels, largest = np.asarray(drawn.labels), top(drawn)
    one = Imitation(liars=1)
    said = some(one.apply(drawn, rng=2).noisy_degree)[one.malicious(drawn, rng=2)]
    for graph in range(drawn.num_graphs):
        others = np.flatnonzero(labels != labels[graph])
        gap = np.abs(drawn.sizes[others] - drawn.sizes[graph])
        assert said[graph] in largest[others[gap == gap.min()]]
    whole = Imitation(fraction=1.0, busiest=True).apply(drawn.subset([0, 20, 21]), rng=2)
    small = drawn.subset([0, 20, 21])
    donor = next(g for g in (1, 2) if small.labels is not None and small.labels[g] != small.labels[0])
    mine = np.sort(some(whole.noisy_degree)[: small.sizes[0]])[::-1]
    theirs = np.sort(some(small.noisy_degree)[small.graph_of_user == donor])[::-1]
    shared = min(len(mine), len(theirs))
    assert np.array_equal(mine[:shared], theirs[:shared])


@pytest.mark.attack("learning")
def test_a_forged_hub_sends_the_list_that_she_chose(threads: gl.GraphSet) -> None:
    """A forged hub with a chosen list, or with counts that fit.

    At ε = 40 randomized response flips nothing: the list is the busy or the quiet half of the graph.
    """
    reports = gl.HubLists(40.0, times=0.5).randomize(threads, rng=7)
    degree = some(reports.noisy_degree)
    for friends, sign in (("busy", 1), ("quiet", -1)):
        attack = FakeHub(0.5, liars=1, friends=wrong(friends))
        forged, liars = attack.apply(reports, rng=3), np.flatnonzero(attack.malicious(reports, rng=3))
        for user in liars:
            graph = reports.graph_of_user[user]
            start, n = reports.graph_ptr[graph], reports.sizes[graph]
            listed = forged.indices[forged.indptr[user] : forged.indptr[user + 1]] + start
            rest = np.setdiff1d(np.arange(start, start + n), [*listed, user])
            assert len(listed) == np.rint((n - 1) / 2)
            assert sign * degree[listed].mean() >= sign * degree[rest].mean()
        assert (forged.epsilon2[liars] > 0).all()
        assert np.allclose(forged.epsilon1 + forged.epsilon2, 40.0)


@pytest.mark.attack("learning")
def test_a_forged_hubs_counts_add_up(threads: gl.GraphSet) -> None:
    """A forged hub with a chosen list, or with counts that fit."""
    reports = gl.HubCounts(1.0, times=0.5).randomize(threads, rng=7)
    shares = {}
    for friends in ("any", "busy", "quiet"):
        attack = FakeHub(0.5, liars=1, friends=wrong(friends))
        forged, liars = attack.apply(reports, rng=3), attack.malicious(reports, rng=3)
        assert forged.answers is not None
        assert forged.answers.asked[liars].all()
        quiet, busy = some(forged.answers.quiet_friends)[liars], some(forged.answers.busy_friends)[liars]
        assert np.array_equal(quiet + busy, some(forged.noisy_degree)[liars])
        assert (quiet >= 0).all()
        assert (busy >= 0).all()
        shares[friends] = busy.sum()
    assert shares["quiet"] < shares["any"] < shares["busy"]
    silent = SilentHubs(liars=1)
    told = silent.apply(reports, rng=3)
    assert told.answers is not None
    assert not told.answers.asked[silent.malicious(reports, rng=3)].any()


@pytest.mark.attack("learning")
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: type(each).__name__)
def test_an_input_liar_reports_as_honest_users_do(mechanism: gl.Mechanism) -> None:
    """An honest report on a made-up list, which no test of its law can tell.

    Who lies about a list of all others sends what the honest hub of a star sends: the same law.

    Two samples of 4,000 d* each; Kolmogorov–Smirnov, false alarm 1e-4 for each of three mechanisms.
    """
    from scipy.stats import ks_2samp

    n, graphs = 20, 4000
    hubs = np.arange(graphs) * n
    spokes = (hubs[:, None] + np.arange(1, n)).ravel()
    stars = gl.GraphSet.from_edges(np.repeat(hubs, n - 1), spokes, [n] * graphs)
    empty = gl.GraphSet.from_edges([], [], [n] * graphs)
    honest, lonely = mechanism.randomize(stars, rng=1), mechanism.randomize(empty, rng=2)
    attack = FakeHub(liars=1, lie="input")
    forged, liars = attack.apply(lonely, rng=3), attack.malicious(lonely, rng=3)
    assert ks_2samp(some(honest.noisy_degree)[hubs], some(forged.noisy_degree)[liars]).pvalue > 1e-4
    assert np.isclose(honest.epsilon2[hubs].mean(), forged.epsilon2[liars].mean(), rtol=0.1)
    if honest.answers is not None and forged.answers is not None:
        assert abs(honest.answers.asked[hubs].mean() - forged.answers.asked[liars].mean()) < 0.05
    lengths = honest.degrees[hubs].mean(), forged.degrees[liars].mean()
    assert abs(lengths[0] - lengths[1]) < 0.5


@pytest.mark.attack("learning")
@settings(max_examples=30, deadline=None)
@given(by=st.floats(-1e9, 1e9), lie=st.sampled_from(["response", "input"]), fraction=st.floats(0, 1))
def test_no_liar_says_what_the_wire_does_not_carry(by: float, lie: str, fraction: float) -> None:
    """A d* far beyond what the wire carries."""
    reports = gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(3, seed=0), rng=1)
    forged = some(DegreeShift(by, fraction=fraction, lie=wrong(lie)).apply(reports, rng=1).noisy_degree)
    low, high = DEGREE_RANGE
    assert ((forged >= low) & (forged <= high) & (forged == np.rint(forged))).all()


def test_reports_that_do_not_fit(reports: gl.Reports, threads: gl.GraphSet) -> None:
    for name in NAMES:
        with pytest.raises(DataError, match="derived for reports drawn by NoisyDegrees or HubLists or HubCounts"):
            make_attack(name, fraction=0.1).apply(reports, rng=1)
    degrees = gl.NoisyDegrees(1.0).randomize(threads, rng=1)
    one_class = degrees.subset(np.flatnonzero(np.asarray(degrees.labels) == 0))
    with pytest.raises(DataError, match="two classes"):
        Imitation(liars=1).apply(one_class, rng=1)
    with pytest.raises(DataError, match="no hub to mimic"):
        Mimics(1.0, fraction=0.1).apply(degrees, rng=1)


def test_bad_parameters(threads: gl.GraphSet) -> None:
    reports = gl.NoisyDegrees(1.0).randomize(threads, rng=1)
    smallest = int(reports.sizes.min())
    with pytest.raises(ParameterError, match=rf"'liars' parameter of FakeHub must be at most {smallest}, the users of"):
        FakeHub(liars=smallest + 1).apply(reports, rng=1)
    assert FakeHub(liars=smallest).malicious(reports, rng=1).sum() == smallest * reports.num_graphs
    for bad in (-1, 1.5, True, "one"):
        with pytest.raises(ParameterError, match="'liars' parameter of FakeHub must be a whole number"):
            FakeHub(liars=wrong(bad))
    with pytest.raises(ParameterError, match="left out where there is a fraction"):
        FakeHub(liars=1, fraction=0.5)
    with pytest.raises(ParameterError, match="'fraction' parameter of FakeHub must be a number from 0 to 1"):
        FakeHub()
    with pytest.raises(ParameterError, match="'lie' parameter of FakeHub must be one of response, input"):
        FakeHub(liars=1, lie=wrong("white"))
    with pytest.raises(
        ParameterError, match=r"'friends' parameter of FakeHub must be one of any, busy, quiet\. Got .few"
    ):
        FakeHub(liars=1, friends=wrong("few"))
    for bad in (float("nan"), True, "more"):
        with pytest.raises(ParameterError, match="'by' parameter of DegreeShift must be a number"):
            DegreeShift(wrong(bad), liars=1)
    with pytest.raises(ParameterError, match="left out: it forges degrees"):
        make_attack("fake-hub", fraction=0.1, forge_degree=False)
    with pytest.raises(ParameterError, match="left out where there is a fraction"):
        make_attack("fake-hub", fraction=0.1, liars=1)
    assert Poison.random(liars=1).malicious(reports, rng=1).sum() == reports.num_graphs


def test_public_users_never_lie(threads: gl.GraphSet) -> None:
    epsilon = gl.customized(threads, epsilon=1.0, public_fraction=0.5, rng=7)
    reports = gl.NoisyDegrees(epsilon, noise="discrete").randomize(threads, rng=7)
    attack = SilentHubs(fraction=1.0)
    forged = attack.apply(reports, rng=1)
    assert np.array_equal(attack.malicious(reports, rng=1), ~reports.public)
    assert np.array_equal(some(forged.noisy_degree)[reports.public], some(reports.noisy_degree)[reports.public])
    assert np.array_equal(forged.epsilon2, reports.epsilon2)
