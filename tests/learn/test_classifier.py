from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import DataError, FormatError, ParameterError, TrainingError
from graphldp.learn.classifier import GINClassifier, GraphClassifier
from graphldp.learn.engine.one_training import EpochRecord
from graphldp.learn.loading import load_classifier
from graphldp.neighbour_lists.labels import NO_LABEL


def small(**params: Any) -> GINClassifier:
    """Quick to train, good enough to tell threads apart."""
    chosen: dict[str, Any] = {"layers": 3, "hidden": 16, "max_epochs": 25, "min_epochs": 5, "device": "cpu"}
    return GINClassifier(**(chosen | params))


@pytest.fixture(scope="module")
def graphs() -> gl.GraphSet:
    return gl.synthetic.threads(num_graphs=80, seed=0)


@pytest.fixture(scope="module")
def reports(graphs: gl.GraphSet) -> gl.Reports:
    return gl.DPRR(epsilon=3.0).randomize(graphs, rng=0)


@pytest.fixture(scope="module")
def fitted(reports: gl.Reports) -> GINClassifier:
    return small().fit(reports)


class TestEstimator:
    def test_learns(self, graphs: gl.GraphSet) -> None:
        train, val, test = gl.split(graphs.labels, (0.6, 0.2, 0.2))
        clf = small().fit(graphs[train], validation=graphs[val])
        assert clf.score(graphs[test]) >= 0.75
        chances = clf.predict_proba(graphs[test])
        assert chances.shape == (len(test), 2)
        np.testing.assert_allclose(chances.sum(axis=1), 1.0)
        np.testing.assert_array_equal(clf.predict(graphs[test]), clf.classes_[chances.argmax(axis=1)])

    def test_learns_from_trusted_graphs_alone(self, reports: gl.Reports) -> None:
        trusted, quick = np.flatnonzero(np.arange(80) % 4 < 2), small(max_epochs=2)
        alone = clone(quick).fit(reports[trusted]).predict_proba(reports)
        labels = np.asarray(reports.labels).copy()
        labels[2::4] = 5
        np.testing.assert_array_equal(clone(quick).fit(reports, trusted=trusted).predict_proba(reports), alone)
        np.testing.assert_array_equal(clone(quick).fit(reports, labels, trusted=trusted).predict_proba(reports), alone)
        believed = clone(quick).fit(reports, trusted=trusted[:20], validation=reports[trusted[20:]])
        wanted = clone(quick).fit(reports[trusted[:20]], validation=reports[trusted[20:]])
        np.testing.assert_array_equal(believed.predict_proba(reports), wanted.predict_proba(reports))
        for bad in ([], [0, 0], [80]):
            with pytest.raises(ParameterError, match="The 'trusted' parameter of GINClassifier must be"):
                clone(quick).fit(reports, trusted=bad)

    def test_fitted_attributes(self, fitted: GINClassifier) -> None:
        assert fitted.classes_.tolist() == [0, 1]
        assert fitted.n_epochs_ == len(fitted.history_) == 25
        best = min(fitted.history_, key=lambda record: record.val_loss)
        assert fitted.best_epoch_ == best.epoch
        assert all(isinstance(record, EpochRecord) for record in fitted.history_)

    def test_constructor_keeps_its_arguments_untouched(self) -> None:
        odd = GINClassifier(layers=wrong("five"), lr=wrong(None))  # checked by fit, as scikit-learn has it
        assert odd.get_params()["layers"] == "five"
        again = clone(odd).set_params(layers=2)
        assert (again.get_params()["layers"], odd.get_params()["layers"]) == (2, "five")
        assert is_classifier(odd)

    def test_same_seed_same_classifier(self, reports: gl.Reports, fitted: GINClassifier) -> None:
        again = clone(fitted).fit(reports)
        assert [(r.train_loss, r.val_loss) for r in again.history_] == [
            (r.train_loss, r.val_loss) for r in fitted.history_
        ]
        np.testing.assert_array_equal(again.predict_proba(reports), fitted.predict_proba(reports))
        other = clone(fitted).set_params(seed=1).fit(reports)
        assert other.history_[0].train_loss != fitted.history_[0].train_loss

    def test_on_epoch_sees_every_epoch(self, reports: gl.Reports) -> None:
        seen: list[EpochRecord] = []
        clf = small(max_epochs=6).fit(reports, on_epoch=seen.append)
        assert seen == clf.history_

    def test_words_as_labels(self, graphs: gl.GraphSet) -> None:
        words = np.array(["question", "discussion"])[graphs.labels]
        clf = small().fit(graphs, words, validation=(graphs, words))
        assert clf.classes_.tolist() == ["discussion", "question"]
        assert set(clf.predict(graphs)) <= {"discussion", "question"}
        assert clf.score(graphs, words) == pytest.approx((clf.predict(graphs) == words).mean())

    def test_labels_in_y_come_before_those_of_the_graphs(self, graphs: gl.GraphSet) -> None:
        other = 1 - some(graphs.labels)
        swapped = small().fit(graphs, other)
        assert swapped.score(graphs) < 0.5 < swapped.score(graphs, other)

    def test_a_graph_without_a_label_is_no_class(self, graphs: gl.GraphSet, fitted: GINClassifier) -> None:
        labels = np.where(np.arange(80) < 3, NO_LABEL, some(graphs.labels))
        part = graphs.with_labels(labels)
        for use in (small().fit, gl.ProfileClassifier().fit, fitted.score):
            with pytest.raises(DataError, match="3 of 80 graphs have no label"):
                use(part)
        with pytest.raises(DataError, match="3 of 80 graphs have no label"):
            small().fit(graphs, labels)
        assert fitted.predict(part).shape == (80,)

    @pytest.mark.parametrize("params", [{"readout": "sum"}, {"features": "degree"}])
    def test_options(self, graphs: gl.GraphSet, params: dict[str, str]) -> None:
        clf = small(max_epochs=3, **params).fit(graphs[:40])
        assert np.isfinite(clf.predict_proba(graphs[40:])).all()

    def test_degree_feature_meets_longer_lists_than_it_learned(self, graphs: gl.GraphSet) -> None:
        longest = np.maximum.reduceat(graphs.degrees, graphs.graph_ptr[:-1])
        short = graphs[np.flatnonzero(longest < 30)]
        clf = small(max_epochs=3, features="degree").fit(short)
        assert clf.spec_.num_features == longest[longest < 30].max() + 1 < longest.max()
        assert clf.predict(graphs).shape == (80,)


class TestScikitLearn:
    def test_cross_val_score(self, graphs: gl.GraphSet) -> None:
        folds = StratifiedKFold(2, shuffle=True, random_state=0)
        assert cross_val_score(small(), graphs, graphs.labels, cv=folds).mean() > 0.7
        assert cross_val_score(small(max_epochs=2), graphs, cv=2).shape == (2,)  # labels from the graphs
        assert cross_val_score(small(max_epochs=2), graphs, graphs.labels, cv=2, scoring="roc_auc").shape == (2,)

    def test_grid_search(self, graphs: gl.GraphSet) -> None:
        search = GridSearchCV(small(max_epochs=3), {"hidden": [4, 8]}, cv=2).fit(graphs, graphs.labels)
        assert search.best_params_["hidden"] in (4, 8)
        assert search.predict(graphs).shape == (80,)

    def test_pipeline(self, graphs: gl.GraphSet) -> None:
        noise = FunctionTransformer(lambda X: gl.RR(epsilon=8.0).randomize(X, rng=0))
        pipeline = Pipeline([("noise", noise), ("gin", small(max_epochs=3))])
        pipeline.fit(graphs, graphs.labels, gin__validation=graphs)
        assert pipeline.predict(graphs).shape == (80,)
        assert pipeline["gin"].provenance_["mechanism"].startswith("rr(")

    def test_pickle_for_worker_processes(self, fitted: GINClassifier, reports: gl.Reports) -> None:
        back = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(back.predict_proba(reports), fitted.predict_proba(reports))


class TestUnusualGraphs:
    def test_graphs_of_any_size(self, fitted: GINClassifier) -> None:
        odd = gl.GraphSet.from_edges([5], [6], [0, 1, 4, 300])  # empty, one user, no edge at all, almost none
        assert np.isfinite(fitted.predict_proba(odd)).all()
        assert fitted.predict_proba(odd[:0]).shape == (0, 2)

    def test_training_with_graphs_that_report_nothing(self, graphs: gl.GraphSet) -> None:
        silent = gl.NoisyDegrees(epsilon=1.0).randomize(graphs, rng=0)
        assert silent.num_entries == 0
        for features in ("constant", "degree"):
            with pytest.raises(DataError, match="No list names anybody"):
                small(features=features).fit(silent)
        assert np.isfinite(small(max_epochs=3, features="size").fit(silent).predict_proba(silent)).all()
        with_empty = gl.GraphSet.from_edges([0, 2], [1, 3], [2, 0, 2, 0] * 5, [0, 1] * 10)
        for batch_size in (1, 64):  # one graph at a time, many of them without a user
            clf = small(max_epochs=3, batch_size=batch_size).fit(with_empty)
            assert np.isfinite(clf.predict_proba(with_empty)).all()

    def test_users_who_have_not_reported_leave(self, fitted: GINClassifier, graphs: gl.GraphSet) -> None:
        epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.5, rng=0)
        partial = gl.NonPrivPart(epsilon=epsilon).randomize(graphs, rng=0)
        assert partial.missing is not None
        np.testing.assert_array_equal(fitted.predict_proba(partial), fitted.predict_proba(partial.induced()))


class TestBadInput:
    def test_not_fitted(self, graphs: gl.GraphSet, tmp_path: Path) -> None:
        for call in (small().predict, small().predict_proba, small().score):
            with pytest.raises(NotFittedError):
                call(graphs)
        with pytest.raises(NotFittedError):
            small().save(tmp_path / "model.npz")

    def test_labels(self, graphs: gl.GraphSet) -> None:
        with pytest.raises(DataError, match="no labels"):
            small().fit(graphs.with_labels(None))
        with pytest.raises(DataError, match="at least two classes"):
            small().fit(graphs, np.zeros(80))
        one_alone = np.zeros(80, int)
        one_alone[7] = 1
        with pytest.raises(DataError, match="Class 1 has 1"):
            small().fit(graphs, one_alone)
        with pytest.raises(DataError, match="80 labels"):
            small().fit(graphs, [0, 1])

    def test_validation(self, graphs: gl.GraphSet) -> None:
        with pytest.raises(DataError, match="knows the 2 classes 0, 1"):
            small().fit(graphs, validation=(graphs[:2], [0, 5]))
        with pytest.raises(DataError, match="no labels"):
            small().fit(graphs, validation=graphs.with_labels(None))
        with pytest.raises(DataError, match="no graphs"):
            small().fit(graphs, validation=graphs[:0])

    @pytest.mark.parametrize(
        "params",
        [
            {"layers": 0},
            {"hidden": 2.5},
            {"dropout": 1.0},
            {"lr": 0.0},
            {"readout": "max"},
            {"features": "x"},
            {"batch_size": 0},
            {"max_epochs": 0},
            {"seed": -1},
            {"device": "abacus"},
        ],
    )
    def test_parameters(self, graphs: gl.GraphSet, params: dict[str, Any]) -> None:
        with pytest.raises(ParameterError, match=f"The '{next(iter(params))}' parameter"):
            small(**params).fit(graphs)

    def test_not_graphs(self, fitted: GINClassifier) -> None:
        with pytest.raises(ParameterError, match="Reports or a GraphSet"):
            small().fit(wrong(np.zeros((4, 2))), [0, 1, 0, 1])
        with pytest.raises(ParameterError, match="Reports or a GraphSet"):
            fitted.predict(wrong([[0, 1]]))

    def test_loss_that_is_not_a_number(self, graphs: gl.GraphSet) -> None:
        with pytest.raises(TrainingError, match="learning rate"):
            small(lr=1e38, dropout=0.0).fit(graphs)

    def test_labels_of_another_number_of_classes(self, fitted: GINClassifier, graphs: gl.GraphSet) -> None:
        with pytest.raises(DataError, match="knows the 2 classes 0, 1"):
            fitted.score(graphs, np.arange(80) % 5)


class TestFiles:
    def test_round_trip(self, fitted: GINClassifier, reports: gl.Reports, tmp_path: Path) -> None:
        path = tmp_path / "model.npz"
        fitted.save(path)
        back = GINClassifier.load(path)
        np.testing.assert_array_equal(back.predict_proba(reports), fitted.predict_proba(reports))
        assert back.get_params() == fitted.get_params()
        assert back.history_ == fitted.history_
        assert back.provenance_ == fitted.provenance_
        assert [each.name for each in tmp_path.iterdir()] == ["model.npz"]

    def test_provenance(self, fitted: GINClassifier, graphs: gl.GraphSet, reports: gl.Reports) -> None:
        found = fitted.provenance_
        assert found["mechanism"] == str(reports.origin)
        assert (found["epsilon"], found["dataset"], found["seed"]) == (3.0, "threads", 0)
        assert found["graphldp"] == gl.__version__
        assert found["guarantee"] == str(reports.guarantee)
        raw = small(max_epochs=1).fit(graphs).provenance_
        assert (raw["epsilon"], raw["public_users"]) == (None, graphs.num_users)
        json.dumps(found, allow_nan=False)

    def test_words_are_kept_without_pickle(self, graphs: gl.GraphSet, tmp_path: Path) -> None:
        words = np.array(["q", "discussion"], dtype=object)[graphs.labels]
        clf = small(max_epochs=2).fit(graphs, words)
        clf.save(tmp_path / "model.npz")
        assert GINClassifier.load(tmp_path / "model.npz").classes_.tolist() == ["discussion", "q"]
        with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
            assert all(file[name].dtype != object for name in file.files)

    def test_a_failed_save_leaves_the_old_file(
        self, fitted: GINClassifier, tmp_path: Path, reports: gl.Reports
    ) -> None:
        path = tmp_path / "model.npz"
        fitted.save(path)
        before = path.read_bytes()
        broken = clone(fitted).fit(reports)
        broken.provenance_ = {"what": object()}
        with pytest.raises(TypeError):
            broken.save(path)
        assert path.read_bytes() == before
        assert len(list(tmp_path.iterdir())) == 1

    def test_damage_is_told(self, fitted: GINClassifier, tmp_path: Path) -> None:
        """A file that is cut or changed is refused, or read as if it were whole (where an unused byte changed)."""
        path = tmp_path / "model.npz"
        fitted.save(path)
        whole = path.read_bytes()
        weights = {name: tensor.numpy() for name, tensor in fitted.weights_.items()}
        for length in np.linspace(0, len(whole) - 1, 60).astype(int):
            path.write_bytes(whole[:length])
            with pytest.raises(FormatError, match=r"model\.npz"):
                GINClassifier.load(path)
        rng = np.random.default_rng(0)
        for place in rng.integers(0, len(whole), 300):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ int(rng.integers(1, 256))]) + whole[place + 1 :])
            try:
                back = GINClassifier.load(path)
            except FormatError:
                continue
            assert all(np.array_equal(weights[name], tensor.numpy()) for name, tensor in back.weights_.items())

    def test_files_of_another_kind(self, fitted: GINClassifier, graphs: gl.GraphSet, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="no such file"):
            GINClassifier.load(tmp_path / "none.npz")
        graphs.save(tmp_path / "graphs.npz")
        np.save(tmp_path / "array.npy", np.zeros(3))
        (tmp_path / "pickle.npz").write_bytes(pickle.dumps(fitted.get_params()))
        for name in ("graphs.npz", "array.npy", "pickle.npz"):
            with pytest.raises(FormatError, match="not a saved model"):
                GINClassifier.load(tmp_path / name)

    @pytest.mark.attack("learning")
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda h: h.update(format=99), "newer"),
            (lambda h: h.update(calibration=[]), "damaged"),
            (lambda h: h.update(calibration={"temperature": 0.0, "graphs": 9}), "damaged"),
            (lambda h: h.update(calibration={"temperature": "hot", "graphs": 9}), "damaged"),
            (lambda h: h.update(calibration={"warmth": 1.0}), "damaged"),
            (lambda h: h.update(kind="Other"), "holds a Other"),
            (lambda h: h.pop("spec"), "'spec' is missing"),
            (lambda h: h.pop("calibration"), "'calibration' is missing"),
            (lambda h: h["spec"].update(num_classes=5), "do not fit"),
            (lambda h: h["spec"].update(layers=2), "do not fit"),
            (lambda h: h["spec"].update(layers=10**9), "do not fit"),
            (lambda h: h["spec"].update(hidden=10**9), "do not fit"),
            (lambda h: h["spec"].update(layers=10**400), "do not fit"),
            (lambda h: h.update(provenance=["a", "list"]), "damaged"),
            (lambda h: h.update(params="words"), "damaged"),
            (lambda h: h.update(format=float("inf")), "not a saved model, or damaged"),
            (lambda h: h["spec"].update(color="red"), "damaged"),
            (lambda h: h["spec"].update(readout="max"), "damaged"),
            (lambda h: h["params"].update(color="red"), "damaged"),
            (lambda h: h.update(history=[]), "damaged"),
        ],
    )
    def test_headers(self, fitted: GINClassifier, tmp_path: Path, change: Any, message: str) -> None:
        """A model file of 10⁹ layers."""
        path = tmp_path / "model.npz"
        fitted.save(path)
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays["header"]))
        change(header)
        arrays["header"] = np.array(json.dumps(header))
        np.savez(path, **arrays)
        with pytest.raises(FormatError, match=message):
            GINClassifier.load(path)


@pytest.mark.parametrize("kind", [gl.GINClassifier, gl.GCNClassifier, gl.SAGEClassifier])
def test_each_convolution_has_its_class_and_its_files(kind: type[GraphClassifier], tmp_path: Path) -> None:
    graphs = gl.synthetic.threads(num_graphs=40, seed=0)
    clf = kind(layers=2, hidden=4, max_epochs=2, device="cpu").fit(graphs)
    assert clf.spec_.convolution == clf.convolution == kind.convolution
    assert "convolution" not in clf.get_params()
    clf.save(tmp_path / "model.npz")
    again = load_classifier(tmp_path / "model.npz", "cpu")
    assert type(again) is kind
    np.testing.assert_array_equal(again.predict_proba(graphs), clf.predict_proba(graphs))
    other: type[GraphClassifier] = gl.GCNClassifier if kind is not gl.GCNClassifier else gl.GINClassifier
    with pytest.raises(FormatError, match=f"holds a {kind.__name__}, not a {other.__name__}"):
        other.load(tmp_path / "model.npz")
