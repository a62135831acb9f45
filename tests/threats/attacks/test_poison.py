from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.values import wrong

import graphldp as gl
from graphldp.errors import DataError, ParameterError
from graphldp.threats import Attack, Collusion, HubMimicry, Poison

ATTACKS: list[Attack] = [
    Poison(0.3, 0.1, fraction=0.3),
    Poison.all_ones(fraction=0.3),
    Poison.all_zeros(fraction=0.3),
    Poison.random(fraction=0.3),
    HubMimicry(fraction=0.3),
    Collusion("clique", fraction=0.3),
    Collusion("target", fraction=0.3),
    Collusion("frame", fraction=0.3),
]


def rows(reports: gl.Reports, users: np.ndarray) -> list[list[int]]:
    return [reports.indices[reports.indptr[u] : reports.indptr[u + 1]].tolist() for u in users]


@pytest.mark.parametrize("attack", ATTACKS, ids=repr)
def test_every_attack_keeps_lists_valid_and_honest_reports_untouched(attack: Attack, reports: gl.Reports) -> None:
    poisoned, malicious = attack.apply(reports, rng=5), attack.malicious(reports, rng=5)
    poisoned.changed(trusted=False)  # sorted, in range, no self-loops
    honest = np.flatnonzero(~malicious)
    assert rows(poisoned, honest) == rows(reports, honest)
    assert poisoned.noisy_degree is not None
    assert reports.noisy_degree is not None
    assert np.array_equal(poisoned.noisy_degree[honest], reports.noisy_degree[honest])
    per_graph = np.bincount(reports.graph_of_user[malicious], minlength=reports.num_graphs)
    assert per_graph.tolist() == np.floor(0.3 * reports.sizes + 1e-9).tolist()


@pytest.mark.parametrize("attack", ATTACKS, ids=repr)
def test_seeded_and_independent_of_company_and_training_only(attack: Attack, reports: gl.Reports) -> None:
    poisoned = attack.apply(reports, rng=5)
    again = attack.apply(reports, rng=5)
    assert np.array_equal(poisoned.indices, again.indices)
    assert not np.array_equal(attack.malicious(reports, rng=5), attack.malicious(reports, rng=6))
    train = np.array([3, 11, 20])
    partly = attack.apply(reports, rng=5, graphs=train)
    rest = np.setdiff1d(np.arange(reports.num_graphs), train)
    assert np.array_equal(partly.subset(rest).indices, reports.subset(rest).indices)
    if not isinstance(attack, HubMimicry):  # who mimics the hubs of the whole set
        assert np.array_equal(partly.subset(train).indices, poisoned.subset(train).indices)
        alone = attack.apply(reports.subset(train), rng=5)
        assert np.array_equal(alone.indices, poisoned.subset(train).indices)


def test_draws_do_not_follow_the_noise_of_the_same_seed(reports: gl.Reports) -> None:
    """A bit of the attack that reused the mechanism's words would keep or drop the very entries that noise drew."""
    attack = Poison(0.5, 0.0, fraction=1.0)
    one, two = attack.apply(reports, rng=7), attack.apply(reports, rng=8)
    share = [poisoned.num_entries / reports.num_entries for poisoned in (one, two)]
    # 5 standard deviations of a binomial share around ½: false alarm below 1e-6
    assert np.allclose(share, 0.5, atol=5 * 0.5 / np.sqrt(reports.num_entries))


def test_named_attacks(reports: gl.Reports) -> None:
    n = np.repeat(reports.sizes, reports.sizes)
    everyone = Poison.all_ones(fraction=1.0).apply(reports, rng=1)
    assert np.array_equal(everyone.degrees, n - 1)
    assert Poison.all_zeros(fraction=1.0).apply(reports, rng=1).num_entries == 0
    random = Poison.random(fraction=1.0).apply(reports, rng=1)
    half = (n - 1).sum() / 2
    assert abs(random.num_entries - half) < 5 * np.sqrt(half / 2)  # false alarm below 1e-6
    same = Poison(1, 0, fraction=1.0, forge_degree=False).apply(reports, rng=1)
    assert np.array_equal(same.indices, reports.indices)
    assert same.noisy_degree is not None
    assert np.array_equal(
        same.noisy_degree, reports.noisy_degree or [] if reports.noisy_degree is None else reports.noisy_degree
    )


@settings(max_examples=20, deadline=None)
@given(w1=st.floats(0, 1), w2=st.floats(0, 1), fraction=st.floats(0, 1), seed=st.integers(0, 2**31))
def test_poison_has_the_law_of_the_paper(w1: float, w2: float, fraction: float, seed: int) -> None:
    """Over 60 lists of 100 users, half of them listed, both shares stay within 6 standard deviations."""
    n, lists = 201, np.tile(np.arange(1, 101, dtype=np.int32), (60, 1))
    indptr = np.concatenate(([0], np.repeat(0, 101), np.arange(100, 6001, 100), np.repeat(6000, 40)))[: n + 1]
    reports = gl.Reports(indptr, lists.ravel(), np.array([0, n]), budget=gl.Budget(0.1, 0.9))
    attack = Poison(w1, w2, fraction=fraction)
    poisoned, malicious = attack.apply(reports, rng=seed), attack.malicious(reports, rng=seed)
    turned = np.flatnonzero(malicious & (reports.degrees == 100))
    kept = sum(sum(1 <= j <= 100 for j in row) for row in rows(poisoned, turned))
    added = sum(sum(not 1 <= j <= 100 for j in row) for row in rows(poisoned, turned))
    trials = 100 * len(turned)
    assert abs(kept - w1 * trials) <= 6 * np.sqrt(trials * w1 * (1 - w1)) + 1
    assert abs(added - w2 * trials) <= 6 * np.sqrt(trials * w2 * (1 - w2)) + 1


def test_public_users_and_those_who_have_not_reported_are_never_malicious(mixed: gl.Reports) -> None:
    attack = Poison.all_ones(fraction=1.0)
    malicious = attack.malicious(mixed, rng=1)
    assert np.array_equal(malicious, ~mixed.public)
    poisoned = attack.apply(mixed, rng=1)
    public = np.flatnonzero(mixed.public)
    assert rows(poisoned, public) == rows(mixed, public)


def test_mimics_are_as_long_as_hubs(stars: gl.GraphSet) -> None:
    reports = gl.DPRR(epsilon=1.0).randomize(stars, rng=2)
    attack = HubMimicry(fraction=0.2)
    fake = attack.apply(reports, rng=3).degrees[attack.malicious(reports, rng=3)] / 299
    share = reports.degrees / 299
    hubs = share[(share > 0.25) & ~attack.malicious(reports, rng=3)]
    # 60 malicious users in each of 60 graphs: the mean's standard deviation is below 0.002
    assert abs(fake.mean() - hubs.mean()) < 0.01
    assert fake.min() > hubs.min() - 0.15


def test_colluders_do_what_they_agreed_on(stars: gl.GraphSet) -> None:
    reports = gl.DPRR(epsilon=1.0).randomize(stars, rng=2)
    local = reports.local_users
    clique = Collusion("clique", fraction=0.1)
    malicious = clique.malicious(reports, rng=3)
    for user, row in zip(
        np.flatnonzero(malicious), rows(clique.apply(reports, rng=3), np.flatnonzero(malicious)), strict=True
    ):
        mine = malicious & (reports.graph_of_user == reports.graph_of_user[user])
        assert row == [j for j in local[mine] if j != local[user]]
    target = Collusion("target", fraction=0.1)
    malicious = target.malicious(reports, rng=3)
    poisoned = target.apply(reports, rng=3)
    for graph in range(3):
        crew = np.flatnonzero(malicious & (reports.graph_of_user == graph))
        leader = crew[np.argmax(poisoned.degrees[crew])]
        others = crew[crew != leader]
        for before, after in zip(rows(reports, others), rows(poisoned, others), strict=True):
            assert after == sorted({*before, int(local[leader])})
    frame = Collusion("frame", fraction=0.4)
    malicious, poisoned = frame.malicious(reports, rng=3), frame.apply(reports, rng=3)
    hubs = ~malicious & (reports.degrees / 299 > 0.25)
    short = np.flatnonzero(malicious & (poisoned.degrees / 299 < 0.3))
    assert len(short) == malicious.sum() / 2
    for user, row in zip(short, rows(poisoned, short), strict=True):
        assert not set(row) & set(local[hubs & (reports.graph_of_user == reports.graph_of_user[user])].tolist())


def test_forged_degrees_fit_the_lists(stars: gl.GraphSet) -> None:
    """E[|ã|] given the forged d* is the fake list's length; an empty list comes with a d* below zero."""
    from graphldp.mechanisms.dprr import sampling_probability

    reports = gl.DPRR(epsilon=1.0, noise="discrete").randomize(stars, rng=2)
    everyone = Poison.random(fraction=1.0).apply(reports, rng=4)
    forged = everyone.noisy_degree
    assert forged is not None
    assert np.array_equal(forged, np.round(forged))
    flip = 1 / (np.exp(0.9) + 1)
    degree = np.clip(forged, 0, 299)
    q = sampling_probability(forged, 300, flip)
    expected = q * ((1 - flip) * degree + flip * (299 - degree))
    # 18,000 lists with a standard deviation of about 12 around their expectation
    assert abs((expected - everyone.degrees).mean()) < 1.0
    empty = Poison.all_zeros(fraction=1.0).apply(reports, rng=4).noisy_degree
    assert empty is not None
    assert (empty <= 0).all()


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), "half", True, None])
def test_bad_parameters(bad: float, reports: gl.Reports) -> None:
    for make in (
        lambda: Poison.random(fraction=bad),
        lambda: Poison(bad, 0.5, fraction=0.1),
        lambda: Poison(0.5, bad, fraction=0.1),
        lambda: HubMimicry(bad, fraction=0.1),
        lambda: Collusion("frame", bad, fraction=0.1),
    ):
        with pytest.raises(ParameterError, match=r"must be a number from 0 to 1\. Got .* instead"):
            make()


def test_other_bad_input(reports: gl.Reports) -> None:
    with pytest.raises(ParameterError, match="one of clique, target, frame"):
        Collusion(wrong("gossip"), fraction=0.1)
    with pytest.raises(ParameterError, match="positions from 0 to 39"):
        Poison.random(fraction=0.1).apply(reports, graphs=[40])
    with pytest.raises(gl.GraphLDPError, match="no hub to mimic"):
        HubMimicry(1.0, fraction=0.1).apply(reports, rng=0)


def test_a_set_without_graphs() -> None:
    empty = gl.Reports(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(1, np.int64), budget=gl.Budget(0.1, 0.9))
    assert Poison.random(fraction=0.5).apply(empty, rng=1).num_users == 0


@pytest.mark.parametrize("mechanism", [gl.HubLists(2.0), gl.NoisyDegrees(1.0)], ids=repr)
def test_where_users_send_no_lists_there_is_nothing_to_rewrite(mechanism: gl.Mechanism) -> None:
    reports = mechanism.randomize(gl.synthetic.threads(5, seed=0), rng=1)
    with pytest.raises(DataError, match="rewrites lists"):
        Poison.all_ones(fraction=0.3).apply(reports, rng=1)
