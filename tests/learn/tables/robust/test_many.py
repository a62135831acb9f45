"""What most users say: liars who claim much, or very little, are not heard."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import graphldp as gl
from graphldp.learn.tables.robust.levels import Levelled
from graphldp.learn.tables.robust.many import LEFT_OUT, Crowd, Many, without_busiest
from graphldp.threats import Attack, FakeHub, Optimised


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(180, seed=0), rng=0)


@pytest.mark.parametrize("share", LEFT_OUT.values())
def test_the_busiest_are_left_out_and_low_claims_are_alike(reports: gl.Reports, share: float) -> None:
    found = without_busiest(Levelled.of(reports), share)
    for graph in range(20):
        alone = reports[graph : graph + 1]
        degree = np.sort(np.asarray(alone.noisy_degree))
        left = np.arange(len(degree)) < len(degree) - np.ceil(share * len(degree))
        kept = replace(alone, noisy_degree=np.maximum(degree, -2.0), missing=~left)
        wanted = Levelled.of(kept).present[0]
        np.testing.assert_array_equal(found.present[graph, : len(wanted)], wanted)
        assert not found.present[graph, len(wanted) :].any()


def test_nobody_is_left_of_a_graph_of_one() -> None:
    alone = gl.GraphSet.from_edges([], [], [1])
    assert not without_busiest(Levelled.of(alone), 0.04).present.any()


def test_who_claims_even_more_or_even_less_changes_nothing(reports: gl.Reports) -> None:
    """The busiest user may claim any larger number, and whoever is below −2 any smaller one."""
    degree = np.asarray(reports.noisy_degree)
    top = [begin + degree[begin:end].argmax() for begin, end in pairwise(reports.graph_ptr)]
    more = degree.copy()
    more[top] = 1e6
    less = np.where(degree <= -2.0, -1e6, degree)
    for claims in (more, less):
        forged = replace(reports, noisy_degree=claims)
        for share in LEFT_OUT.values():
            one, two = (without_busiest(Levelled.of(each), share).present for each in (reports, forged))
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("crowd", LEFT_OUT)
@pytest.mark.parametrize(
    "attack",
    [FakeHub(fraction=0.01), FakeHub(share=0.0, fraction=0.01), FakeHub(share=0.3, fraction=0.01)],
    ids=["everybody", "nobody", "some"],
)
def test_few_liars_teach_little(reports: gl.Reports, attack: Attack, crowd: Crowd) -> None:
    """One seed: with 1 % of liars in training graphs of one class, chances of others move by a tenth at most."""
    learn, test = np.arange(120), Levelled.of(reports[120:])
    codes = np.asarray(reports.labels)[:120]
    forged = attack.apply(reports, rng=0, graphs=learn[codes == 0])
    honest, misled = (Many.fit(Levelled.of(each[:120]), codes, crowd, 0).chances(test, 2) for each in (reports, forged))
    assert (honest.argmax(axis=1) == misled.argmax(axis=1)).mean() >= 0.9
    assert np.abs(honest - misled).mean() < 0.1


def test_liars_who_search_teach_the_many_little(reports: gl.Reports) -> None:
    """One seed, one liar in each training graph, the strongest attack there is, claims as low as the wire carries."""
    codes, test = np.asarray(reports.labels), np.arange(120, 180)
    judge = Many.fit(Levelled.of(reports[:120]), codes[:120], "many", 0)

    def score(asked: gl.Reports) -> np.ndarray:
        return np.asarray(judge.chances(Levelled.of(asked), 2)[np.arange(len(asked)), np.asarray(asked.labels)])

    forged = Optimised(liars=1, score=score).apply(reports, rng=0, graphs=np.arange(120))
    assert not np.array_equal(np.asarray(forged.noisy_degree), np.asarray(reports.noisy_degree))
    taught = Many.fit(Levelled.of(forged[:120]), codes[:120], "many", 0)
    before, after = (
        (each.chances(Levelled.of(reports[120:]), 2).argmax(axis=1) == codes[test]).mean() for each in (judge, taught)
    )
    assert after >= before - 0.1
