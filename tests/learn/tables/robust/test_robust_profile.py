"""Labels that stand whatever k users send, at a known price."""

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from sklearn.base import clone

import graphldp as gl
from graphldp.errors import FormatError, GraphLDPError
from graphldp.learn.saving import persistence
from graphldp.learn.saving.loading import load_classifier
from graphldp.learn.tables.controls import SizeControl
from graphldp.learn.tables.robust.absences import UNSETTLED
from graphldp.learn.tables.robust.agreement import MANY, SIZE, Statements, Trust
from graphldp.learn.tables.robust.levels import Levelled
from graphldp.learn.tables.robust.many import Many
from graphldp.learn.tables.robust.robust_profile import RobustProfileClassifier
from graphldp.learn.tables.robust.votes import Votes
from graphldp.threats import Attack, CopyLargest, FakeHub, PlausibleDegrees
from graphldp.threats.named import make_attack

HUB_IMITATION = make_attack("hub-imitation", fraction=0.03)


@pytest.fixture(scope="module")
def reports() -> gl.Reports:
    return gl.NoisyDegrees(1.0, noise="discrete").randomize(gl.synthetic.threads(180, seed=0), rng=0)


@pytest.fixture(scope="module")
def fitted(reports: gl.Reports) -> RobustProfileClassifier:
    return RobustProfileClassifier(allowance=0.02).fit(reports[:120])


def _lied(reports: gl.Reports, liars: np.ndarray, rng: np.random.Generator) -> Iterator[gl.Reports]:
    """Several lies by so many users of each graph: the busiest, the least busy or anybody; any claim, or none."""
    degree, graph = np.asarray(reports.noisy_degree), reports.graph_of_user
    largest = 2.0 * reports.sizes[graph]
    for order in (-degree, degree, rng.random(len(degree))):
        rank = np.empty(len(degree), np.int64)
        rank[np.lexsort((order, graph))] = np.arange(len(degree)) - reports.graph_ptr[graph]
        lying = rank < liars[graph]
        for claim in (
            largest,
            np.full(len(degree), -1e4),
            np.full(len(degree), 1.0),
            rng.random(len(degree)) * largest,
        ):
            yield replace(reports, noisy_degree=np.where(lying, claim, degree))
        yield replace(reports, missing=lying)


def test_promised_labels_stand_whatever_so_many_users_send(
    reports: gl.Reports, fitted: RobustProfileClassifier
) -> None:
    test = reports[120:]
    labels, withstood = fitted.predict(test), fitted.certify(test)
    assert withstood.dtype == np.int64
    assert (withstood > 0).mean() > 0.25
    assert (withstood < test.sizes).all()
    rng = np.random.default_rng(0)
    for lied in _lied(test, withstood, rng):
        np.testing.assert_array_equal(fitted.predict(lied), labels)


@pytest.mark.parametrize("sure", [0.9, 1.0], ids=["votes and settled", "votes alone"])
def test_promised_labels_stand_whatever_the_profile_says(
    reports: gl.Reports, fitted: RobustProfileClassifier, monkeypatch: pytest.MonkeyPatch, sure: float
) -> None:
    """What one liar makes it say is not bounded by anything, however large τ is."""
    test, loud, changed = reports[120:], copy(fitted), False
    loud.voice_, loud.absences_ = 2.5, fitted.absences_.limited(sure)
    labels, promised = loud.predict(test), loud.certify(test) > 0
    assert promised.any()
    for said in ((0.0, 1.0), (1.0, 0.0)):
        monkeypatch.setattr(gl.ProfileClassifier, "uncalibrated", lambda _, X, said=said: np.tile(said, (len(X), 1)))
        np.testing.assert_array_equal(loud.predict(test)[promised], labels[promised])
        changed |= bool((loud.predict(test) != labels).any())
    assert changed


def test_votes_alone_and_what_is_settled_promise_different_labels(
    reports: gl.Reports, fitted: RobustProfileClassifier
) -> None:
    """With a large τ no votes are promised, and all that stands is settled; where nothing is, nothing stands."""
    test, loud = reports[120:], copy(fitted)
    loud.voice_ = 50.0
    settled = loud.absences_.unmoved(Levelled.of(test))
    np.testing.assert_array_equal(loud.certify(test), settled == loud.predict_proba(test).argmax(axis=1))
    assert set(loud.certify(test)) == {0, 1}
    loud.absences_ = loud.absences_.limited(1.0)
    assert not loud.certify(test).any()


def test_votes_that_could_give_another_label_take_a_promise_away(
    reports: gl.Reports, fitted: RobustProfileClassifier
) -> None:
    """A class may be settled while the votes lead against it, by nearly τ: one more vote, and they decide."""
    test, clf = reports[120:], copy(fitted)
    clf.votes_ = Votes(-clf.votes_.base, -clf.votes_.votes)  # on these graphs they never contradict what is settled
    settled, votes = clf.absences_.unmoved(Levelled.of(test)), clf.votes_.scores(Levelled.of(test))
    lead = votes.max(axis=1) - votes[np.arange(60), np.maximum(settled, 0)]
    against = np.flatnonzero((settled != UNSETTLED) & (lead > 0))
    assert len(against)
    clf.voice_ = float(lead[against[0]]) + 1e-9
    assert clf.predict_proba(test).argmax(axis=1)[against[0]] == settled[against[0]]
    assert clf.certify(test)[against[0]] == 0
    clf.voice_ += 5.0
    assert clf.certify(test)[against[0]] == 1


def test_where_nothing_is_promised_a_lie_may_change_the_label(
    reports: gl.Reports, fitted: RobustProfileClassifier
) -> None:
    test = reports[120:]
    labels, withstood = fitted.predict(test), fitted.certify(test)
    changed = [fitted.predict(lied) != labels for lied in _lied(test, withstood + 40, np.random.default_rng(1))]
    assert np.any(changed, axis=0)[test.sizes > 80].any()


def test_the_price_without_liars_and_the_gain_with_one(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    """One seed each: on these graphs the profile alone falls below the robust classifier by far."""
    test = reports[120:]
    plain = gl.ProfileClassifier().fit(reports[:120])
    claims = np.asarray(test.noisy_degree).copy()
    claims[test.graph_ptr[:-1] + test.sizes // 2] = test.sizes - 1.0
    forged = replace(test, noisy_degree=claims)
    assert fitted.score(test) >= plain.score(test) - 0.1
    assert fitted.score(forged) > plain.score(forged)


def test_a_larger_allowance_promises_no_less(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    strict = RobustProfileClassifier(allowance=0.0).fit(reports[:120])
    assert strict.voice_ >= fitted.voice_
    assert strict.get_params() == {"allowance": 0.0, "seed": 0}
    again = clone(strict).fit(reports[:120])
    np.testing.assert_array_equal(again.predict_proba(reports[120:]), strict.predict_proba(reports[120:]))


def test_honest_training_graphs_are_trusted(fitted: RobustProfileClassifier) -> None:
    assert fitted.trust_ == "profile"
    assert not fitted.aside_.any()


@pytest.mark.parametrize("attack", [FakeHub(fraction=0.1), CopyLargest(fraction=0.3)])
def test_many_liars_in_training_graphs_leave_n(reports: gl.Reports, attack: Attack, tmp_path: Path) -> None:
    """With n alone, what users send changes no label: neither in training graphs nor in those that are labelled."""
    learned, asked = attack.apply(reports[:120], rng=0), reports[120:]
    clf = RobustProfileClassifier().fit(learned)
    assert clf.trust_ == "size"
    assert clf.score(asked) >= SizeControl(0).fit(reports[:120]).score(asked) - 0.03
    for forged in _lied(asked, asked.sizes, np.random.default_rng(0)):
        np.testing.assert_array_equal(clf.predict(forged), clf.predict(asked))
    np.testing.assert_array_equal(clf.certify(asked), asked.sizes - 1)
    clf.save(tmp_path / "robust.npz")
    read = RobustProfileClassifier.load(tmp_path / "robust.npz")
    assert read.trust_ == "size"
    np.testing.assert_array_equal(read.predict_proba(asked), clf.predict_proba(asked))


def test_few_liars_in_training_graphs_leave_the_many(reports: gl.Reports, tmp_path: Path) -> None:
    learned, asked = FakeHub(liars=1).apply(reports[:120], rng=0), reports[120:]
    clf, trusting = RobustProfileClassifier().fit(learned), gl.ProfileClassifier().fit(learned)
    assert clf.trust_ == clf.learned_trust_ == "many"
    assert clf.score(asked) > trusting.score(asked)
    assert not clf.certify(asked).any()
    many = clf.crowds_["many"].chances(Levelled.of(asked), 2)
    np.testing.assert_array_equal(clf.predict_proba(asked), clf.calibrations_["many"].apply(many))
    clf.save(tmp_path / "robust.npz")
    read = RobustProfileClassifier.load(tmp_path / "robust.npz")
    assert read.trust_ == "many"
    np.testing.assert_array_equal(read.predict_proba(asked), clf.predict_proba(asked))


def test_honest_graphs_contradict_nobody(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    """One seed; a false alarm has a probability of about 1e-3 with 60 graphs."""
    assert fitted.checked(reports[120:]).trust_ == "profile"
    assert fitted.checked(reports[120:140]) is fitted
    assert fitted.checked(reports[120:120]) is fitted


@pytest.fixture(scope="module")
def misled(reports: gl.Reports) -> RobustProfileClassifier:
    """Learned from liars whose claims fit together: the busiest say what hubs of the other class say."""
    return RobustProfileClassifier(allowance=0.0).fit(HUB_IMITATION.apply(reports[:120], rng=0))


def test_graphs_without_labels_show_that_training_graphs_were_forged(
    reports: gl.Reports, misled: RobustProfileClassifier
) -> None:
    asked = reports[120:]
    assert (misled.trust_, misled.checked(asked[:20]).trust_) == ("profile", "profile")
    warned = misled.checked(asked)
    assert (warned.trust_, misled.trust_) == ("many", "profile")
    assert warned.score(asked) > misled.score(asked)
    assert warned.checked(asked).trust_ == "many"
    assert misled.checked(replace(asked, labels=None)).trust_ == "many"
    many = misled.crowds_["many"].chances(Levelled.of(asked), 2)
    heard = misled.believed(misled.statements(asked)) == MANY
    assert heard.mean() > 0.8
    by_many = misled.calibrations_["many"].apply(many)
    np.testing.assert_array_equal(warned.predict_proba(asked)[heard], by_many[heard])
    assert not warned.certify(asked)[heard].any()


def test_n_decides_alone_where_it_serves_and_contradicts_the_many(
    reports: gl.Reports, fitted: RobustProfileClassifier
) -> None:
    asked, clf = reports[120:], copy(fitted)
    clf.crowds_ = fitted.crowds_ | {"many": _Contrary(fitted.crowds_["many"])}
    assert not clf.size_serves_  # on these graphs n says little
    assert clf.checked(asked).trust_ == "many"
    clf.size_serves_ = True
    warned = clf.checked(asked)
    assert warned.trust_ == "size"
    heard, labels = clf.believed(clf.statements(asked)) == SIZE, warned.predict_proba(asked).argmax(axis=1)
    assert heard.mean() > 0.8
    np.testing.assert_array_equal(labels[heard], clf.statements(asked).size.argmax(axis=1)[heard])
    assert not warned.certify(asked)[heard].any()


class _Contrary(Many):
    """Says the opposite."""

    def __init__(self, judge: Many) -> None:
        super().__init__(judge.left_out, judge.judge)

    def chances(self, graphs: Levelled, classes: int) -> np.ndarray:
        return super().chances(graphs, classes)[:, ::-1]


def test_what_is_heard_of_a_graph_is_up_to_all_others(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    """Liars have brought all others so far that one more liar would be noticed, in her own graph as well."""
    honest, row = reports[120:], np.arange(60)
    before, after = (
        fitted.statements(each) for each in (honest, replace(honest, noisy_degree=np.ones(honest.num_users)))
    )

    def said(count: int) -> Statements:
        pairs = zip(after, before, strict=True)
        return Statements(*(np.where(row[:, None] < count, lied, told) for lied, told in pairs))

    heard = [fitted.believed(said(count)) for count in range(61)]
    for forged, (one, two) in enumerate(pairwise(heard)):
        assert one[forged] == two[forged]
    assert any((one != two).any() for one, two in pairwise(heard))
    some = replace(honest, noisy_degree=np.where(honest.graph_of_user < 30, 1.0, np.asarray(honest.noisy_degree)))
    assert fitted.checked(some).trust_ == get_args(Trust)[heard[30].min()]


def test_graphs_are_known_again_and_others_are_promised_nothing(
    reports: gl.Reports, fitted: RobustProfileClassifier
) -> None:
    """A copy of the graphs is heard as they are. What is heard of others would hang on their own users."""
    asked = reports[120:]
    clf, again = fitted.checked(asked), fitted.checked(asked).checked(asked)
    for each in (clf, again):
        np.testing.assert_array_equal(each.certify(reports[120:]), clf.certify(asked))
        np.testing.assert_array_equal(each.predict_proba(reports[120:]), clf.predict_proba(asked))
    assert clf.certify(asked).any()
    for other in (reports[119:], reports[119:179], replace(asked, noisy_degree=np.asarray(asked.noisy_degree) + 1)):
        assert not clf.certify(other).any()


def test_n_is_how_many_users_there_are_not_how_many_reported(reports: gl.Reports) -> None:
    """Who reports says much about the class here, and users decide on it. n says little, and is not to decide."""
    rng, codes = np.random.default_rng(0), np.asarray(reports.labels)
    away = rng.random(reports.num_users) > np.where(codes == 0, 0.95, 0.3)[reports.graph_of_user]
    some = replace(reports, missing=away)
    clf = RobustProfileClassifier().fit(some[:120])
    assert not clf.size_serves_
    assert clf.checked(some[120:]).trust_ == "profile"


def test_promised_labels_stand_when_graphs_are_compared_anew(
    reports: gl.Reports, fitted: RobustProfileClassifier
) -> None:
    """One graph lies at a time, and all graphs are compared with its lie among them."""
    asked, rng = reports[120:], np.random.default_rng(0)
    clf = fitted.checked(asked)
    labels, promised = clf.predict(asked), clf.certify(asked)
    assert (promised > 0).sum() > 10
    for each in np.flatnonzero(promised)[:6]:
        for lied in _lied(asked, np.where(np.arange(60) == each, promised, 0), rng):
            assert fitted.checked(lied).predict(lied)[each] == labels[each]


def test_the_order_of_users_does_not_matter(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    order = np.lexsort((np.random.default_rng(0).random(reports.num_users), reports.graph_of_user))
    turned = replace(reports, noisy_degree=np.asarray(reports.noisy_degree)[order])
    np.testing.assert_allclose(fitted.predict_proba(turned), fitted.predict_proba(reports))
    np.testing.assert_array_equal(fitted.certify(turned), fitted.certify(reports))


def test_a_file_keeps_it(reports: gl.Reports, fitted: RobustProfileClassifier, tmp_path: Path) -> None:
    fitted.save(tmp_path / "robust.npz")
    read = load_classifier(tmp_path / "robust.npz")
    assert isinstance(read, RobustProfileClassifier)
    assert (read.allowance, read.voice_) == (fitted.allowance, fitted.voice_)
    np.testing.assert_array_equal(read.predict_proba(reports), fitted.predict_proba(reports))
    np.testing.assert_array_equal(read.certify(reports), fitted.certify(reports))
    with pytest.raises(FormatError, match="holds a RobustProfileClassifier, not a ProfileClassifier"):
        gl.ProfileClassifier.load(tmp_path / "robust.npz")


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"levels": np.zeros((120, 3), np.int64)},
        {"levels": np.zeros((120, 3), np.int32)},
        {"levels": np.full((120, 40), 1 << 20, np.int32)},
        {"users": np.full(120, 1e300)},
        {"users": np.full(120, 2000.5)},
        {"held_many": np.full((120, 2), 7.0)},
        {"held_quiet": np.zeros((119, 2))},
    ],
    ids=str,
)
def test_a_damaged_file_is_refused(fitted: RobustProfileClassifier, tmp_path: Path, bad: dict[str, np.ndarray]) -> None:
    fitted.save(tmp_path / "robust.npz")
    saved = persistence.read(tmp_path / "robust.npz", "RobustProfileClassifier")
    kept = {name: array for name, array in saved.weights.items() if bad or name != "levels"}
    persistence.write(tmp_path / "robust.npz", replace(saved, weights=kept | bad))
    with pytest.raises(FormatError, match="damaged"):
        RobustProfileClassifier.load(tmp_path / "robust.npz")


def test_graphs_are_looked_at_once(
    reports: gl.Reports, fitted: RobustProfileClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels and promises take what the comparison found; of other graphs, nothing that was said is taken."""
    test, looked, look = reports[120:], [], gl.ProfileClassifier.uncalibrated
    wanted = fitted.predict_proba(test), fitted.certify(test), fitted.predict_proba(reports)

    def counted(self: gl.ProfileClassifier, X: gl.Reports) -> np.ndarray:
        looked.append(X)
        return look(self, X)

    monkeypatch.setattr(gl.ProfileClassifier, "uncalibrated", counted)
    fitted.certify(test)
    assert looked == [test]
    clf = fitted.checked(test)
    found = clf.predict_proba(test), clf.certify(test), clf.predict_proba(reports)
    assert looked == [test, test, reports]
    for one, two in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, two)
    again = clf.fit(reports[60:])
    np.testing.assert_array_equal(again.predict(test), RobustProfileClassifier(0.02).fit(reports[60:]).predict(test))


def test_nothing_is_promised_of_what_a_filter_left(reports: gl.Reports, fitted: RobustProfileClassifier) -> None:
    """The filter flags nobody here, and the reports are the same; but one lie could have changed that."""
    test = reports[120:]
    kept, verdict = PlausibleDegrees().apply(test)
    assert not verdict.flagged.any()
    np.testing.assert_array_equal(fitted.predict_proba(kept), fitted.predict_proba(test))
    assert fitted.certify(test).any()
    assert not fitted.certify(kept).any()
    assert not fitted.certify(kept[:3]).any()


@pytest.mark.parametrize("allowance", [-0.1, 2, True, "much", float("nan")])
def test_an_allowance_that_is_none(reports: gl.Reports, allowance: object) -> None:
    with pytest.raises(GraphLDPError, match="The 'allowance' parameter of RobustProfileClassifier must be"):
        RobustProfileClassifier(allowance=allowance).fit(reports[:20])  # type: ignore[arg-type]


def test_three_classes_raw_graphs_and_a_class_of_one_graph() -> None:
    threads = gl.synthetic.threads(45, seed=0)
    labels = np.where(threads.sizes > np.quantile(threads.sizes, 0.7), 2, np.asarray(threads.labels))
    clf = RobustProfileClassifier().fit(threads, labels)
    assert clf.predict_proba(threads).shape == (45, 3)
    assert (clf.certify(threads) >= 0).all()
    alone = np.zeros(45, np.int64)
    alone[0] = 1
    assert RobustProfileClassifier().fit(threads, alone).voice_ == 1.0


def test_it_is_what_is_recommended_against_liars() -> None:
    for recipe in (gl.recommended(1.0, seed=3), gl.recommended(2.0, seed=3), gl.recommended(1.0, rounds=2, seed=3)):
        assert isinstance(recipe.defense, RobustProfileClassifier)
        assert recipe.defense.seed == 3
