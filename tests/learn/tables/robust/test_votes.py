"""What k liars can do to the votes is computed exactly: every lie of small graphs is tried."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from numpy.typing import NDArray

import graphldp as gl
from graphldp.learn.tables.robust.levels import LEVELS, Levelled
from graphldp.learn.tables.robust.votes import Votes


def _learned(classes: int) -> tuple[Votes, Levelled, NDArray[np.int64]]:
    threads = gl.synthetic.threads(60, seed=1)
    graphs = Levelled.of(gl.NoisyDegrees(1.0, noise="discrete").randomize(threads, rng=0))
    codes = np.asarray(threads.labels, np.int64)
    if classes == 3:
        codes = np.where(graphs.n > np.median(graphs.n), 2, codes)
    return Votes.fit(graphs, codes, classes), graphs, codes


def _small(n: int, seed: int) -> Levelled:
    used = int(np.searchsorted(LEVELS, 12, side="right"))
    claims = np.clip(np.random.default_rng(seed).geometric(0.5, n) - 1, -3, n - 1)
    present = np.bincount(np.searchsorted(LEVELS[:used], claims, side="right") - 1, minlength=used)[None].astype(float)
    return Levelled(np.array([float(n)]), present, present)


def _worst(votes: Votes, graph: Levelled, code: int, liars: int) -> float:
    """The smallest lead after any lies of so many users, by trying them all; target −1 is to stay away."""
    here, allowed = np.flatnonzero(graph.private[0]), np.flatnonzero(graph.admissible[0])
    tried = []
    for sources in combinations_with_replacement(here, liars):
        left = graph.present[0] - np.bincount(sources, minlength=graph.present.shape[1])
        for targets in combinations_with_replacement((-1, *allowed), liars) if (left >= 0).all() else ():
            claimed = [each for each in targets if each >= 0]
            tried.append(left + np.bincount(claimed, minlength=len(left)))
    present = np.array(tried)
    scores = votes.scores(Levelled(np.full(len(tried), graph.n[0]), present, present))
    return float((scores[:, code] - np.delete(scores, code, axis=1).max(axis=1)).min())


@pytest.mark.parametrize("classes", [2, 3])
def test_k_is_the_largest_number_of_liars_that_is_withstood(classes: int) -> None:
    votes = _learned(classes)[0]
    for n, seed in ((4, 0), (5, 1), (6, 2)):
        graph = _small(n, seed)
        scores = votes.scores(graph)[0]
        code = int(scores.argmax())
        leads = [scores[code] - np.delete(scores, code).max(), *(_worst(votes, graph, code, k) for k in (1, 2))]
        assert leads[0] > leads[1] > leads[2]
        for expected in range(2):  # a margin between two leads: so many liars are withstood, and not one more
            margin = (leads[expected] + leads[expected + 1]) / 2
            assert votes.withstood(graph, np.array([code]), margin) == [expected]
        assert votes.withstood(graph, np.array([code]), leads[0] * (1 + 1e-9) + 1e-9) == [0]


def test_a_label_that_nothing_can_move_is_promised_against_all_but_one() -> None:
    votes, graphs, codes = _learned(2)
    untouched = votes.withstood(graphs, codes, -1e9)
    np.testing.assert_array_equal(untouched, graphs.present.sum(axis=1) - 1)


def test_a_lead_within_rounding_is_not_promised() -> None:
    """All users claim the worst, so no lie takes anything; yet a sum over one user less rounds in another way."""
    votes, used = _learned(2)[0], int(np.searchsorted(LEVELS, 200, side="right"))
    graph = Levelled(np.array([201.0]), np.zeros((1, used)), np.zeros((1, used)))
    harm = votes.of_levels(graph)[0] @ [-1.0, 1.0]
    present = 201.0 * np.eye(used)[[harm.argmax()]]
    worst = Levelled(graph.n, present, present)
    lead = float(votes.scores(worst)[0] @ [1.0, -1.0])
    assert votes.withstood(worst, np.array([0]), np.nextafter(lead, -np.inf)) == [0]
    assert votes.withstood(worst, np.array([0]), lead - 1e-6) == [200]


def test_public_users_count_as_honest() -> None:
    votes, graphs, codes = _learned(2)
    nobody = Levelled(graphs.n, graphs.present, np.zeros_like(graphs.private))
    np.testing.assert_array_equal(votes.withstood(nobody, codes, -1e9), 0)  # nobody could have lied: 0 liars


def test_users_who_have_not_reported_may_still_do_so_beside_public_ones() -> None:
    """One private and one public report, of any two levels: a margin that some newcomer passes is not withstood."""
    votes, n, used = _learned(2)[0], 6.0, int(np.searchsorted(LEVELS, 5, side="right"))
    for private_level, public_level in product(range(used), repeat=2):
        private = np.eye(used)[private_level]
        present = private + np.eye(used)[public_level]
        graph = Levelled(np.array([n]), present[None], private[None])
        came = Levelled(np.full(used, n), present + np.eye(used), private + np.eye(used))
        for code in range(2):
            scores = votes.scores(came)
            least = float((scores[:, code] - scores[:, 1 - code]).min())
            assert votes.withstood(graph, np.array([code]), least + 1e-9) == [0]
            assert votes.withstood(graph, np.array([code]), -1e9) == [1]


def test_the_penalty_keeps_votes_small_that_honest_users_do_not_need() -> None:
    """At no level does a user's vote outweigh what tells half of the graphs apart."""
    votes, graphs, codes = _learned(2)
    scores = votes.scores(graphs)
    assert (scores.argmax(axis=1) == codes).mean() > 0.85
    each = votes.of_levels(graphs)[..., 1] * 2
    reach = np.array([np.ptp(row[fit]) for row, fit in zip(each, graphs.admissible, strict=True)])
    lead = np.abs(scores[:, 1] - scores[:, 0])
    assert np.median(reach) < np.median(lead)
