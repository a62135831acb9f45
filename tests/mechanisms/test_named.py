"""The one table of mechanisms: what it says is so, and a mechanism of one's own is as good as ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.values import wrong

import graphldp as gl
from graphldp import mechanisms, wire
from graphldp.errors import DataError, ParameterError
from graphldp.mechanisms import named
from graphldp.mechanisms.contract import check_mechanism
from graphldp.reports import Origin

GRAPHS = gl.synthetic.barabasi_albert(n=4, m=2, num_graphs=40, seed=0).with_groups(np.arange(160) % 2)
GRAPHS = GRAPHS.with_features(np.arange(320).reshape(160, 2) / 320).with_node_labels(np.arange(160) // 80)
TABLE = named.mechanisms()


@dataclass(frozen=True, eq=False, repr=False)
class Thinned(gl.RowMechanism):
    kept: float = field(default=0.5, kw_only=True)

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Any:
        return (1 - flip) * self.kept, flip * self.kept


@pytest.fixture
def clean() -> Iterator[None]:
    before = dict(named._table)
    yield
    named._table.clear()
    named._table.update(before)


def epsilon_for(record: named.NamedMechanism) -> Any:
    return gl.customized(GRAPHS, epsilon=2.0, public_fraction=0.5, rng=0) if record.name == "nonpriv-part" else 2.0


def test_every_public_mechanism_is_in_the_table() -> None:
    public = vars(mechanisms).values()
    kinds = {each for each in public if isinstance(each, type) and issubclass(each, gl.Mechanism)}
    others = {gl.Joint, gl.LapGraph}  # a Joint goes by its parts' names, and LapGraph is no local mechanism
    assert {each.kind for each in TABLE} == kinds - {gl.Mechanism, gl.RowMechanism} - others


def test_names_labels_and_colours_tell_them_apart() -> None:
    for facts in ("name", "label", "colour"):
        assert len({getattr(each, facts) for each in TABLE}) == len(TABLE)


def test_live_names_and_codes_are_those_of_the_wire() -> None:
    codes = {code: name for code, name in enumerate(wire.MECHANISMS) if name != "public"}
    assert {each.code: each.name for each in TABLE if each.code is not None} == codes
    for each in TABLE:
        if each.code is not None:
            assert each.degree == (each.name in wire.WITH_DEGREE)
            assert each.lists == (each.name in wire.WITH_EDGES)


@pytest.mark.parametrize("record", TABLE, ids=lambda record: record.name)
def test_a_record_says_what_its_reports_hold(record: named.NamedMechanism) -> None:
    some = record.audited_with or ({},)
    drawn = [record.make(epsilon_for(record), **each).randomize(GRAPHS, rng=1) for each in some]
    for reports in drawn:
        assert reports.origin.name == record.name
        assert named.drawn_by(reports, "test", record.kind) is record.kind
        assert (reports.noisy_degree is not None) == record.degree
        assert (reports.friend_counts is not None) == record.groups
        assert (reports.columns.features is not None) == (record.protects == "features")
        assert (reports.columns.labels is not None) == (record.protects == "labels")
        assert bool(reports.guarantee.column_ldp) == (record.protects != "edges")
        assert bool(reports.degrees[~reports.public].sum() or reports.public.all()) == record.lists
        assert bool(np.isfinite(reports.guarantee.edge_ldp)) == record.private == bool(record.audited_with)


@pytest.mark.parametrize("record", TABLE, ids=lambda record: record.name)
def test_the_contract_is_kept_by_the_whole_table(record: named.NamedMechanism) -> None:
    for each in record.audited_with or ({},):
        check_mechanism(record.make(2.0, **each))


def test_both_branches_of_hub_lists_occur_where_it_is_audited() -> None:
    record = named.named("hub-lists")
    for each in record.audited_with:
        reports = record.make(2.0, **each).randomize(GRAPHS, rng=1)
        assert 0 < (reports.epsilon2 > 0).sum() < reports.num_users


def test_origins_are_facts() -> None:
    reports = gl.DPRR(1.0, estimator="bayes", allocation=gl.Budget(0.25, 0.75)).randomize(GRAPHS, rng=0)
    expected = {"epsilon": 1.0, "allocation": [0.25, 0.75], "alpha": 0.9, "noise": "laplace", "estimator": "bayes"}
    assert reports.origin.parameters == expected
    one_each = gl.RR(np.full(GRAPHS.num_users, 1.0)).randomize(GRAPHS, rng=0)
    assert (one_each.origin.name, dict(one_each.origin.parameters)) == ("rr", {})


def test_options() -> None:
    assert named.named("dprr").options == ("allocation", "alpha", "n_max", "mean_degree", "noise", "estimator")
    assert named.named("nonpriv-full").options == ()
    assert named.named("hub-lists").make(2.0, noise=None).degree_noise == "discrete"
    with pytest.raises(ParameterError, match="'sampling' parameter of RR must be left out"):
        named.named("rr").make(1.0, sampling=0.5)
    with pytest.raises(ParameterError, match="'sampling' parameter of ARR must be given, as in arr sampling="):
        named.named("arr").make(1.0)


@pytest.mark.usefixtures("clean")
def test_a_registered_mechanism_is_as_good_as_ours() -> None:
    record = gl.register(Thinned)
    assert record == named.named("thinned") == named.mechanisms()[-1]
    assert (record.label, record.options, record.code) == ("Thinned", ("kept",), None)
    reports = record.make(1.0, kept=0.25).randomize(GRAPHS, rng=0)
    assert reports.origin == Origin("thinned", {"epsilon": 1.0, "kept": 0.25})
    assert gl.register(Thinned, label="Thin", colour=("#111111", "#eeeeee")).label == named.label_of("thinned")
    assert named.colour_of("thinned") == ("#111111", "#eeeeee")
    assert gl.register(replace(record, name="thin", label="T")).name in named.names()


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize("name", ["dprr", "public", "Upper", "a b", "x:y", "1st", "-", "x" * 41])
def test_names_that_cannot_be_registered(name: str) -> None:
    before = named.names()
    with pytest.raises(ParameterError, match="'name' parameter of register"):
        gl.register(Thinned, name=name)
    assert named.names() == before


def test_what_cannot_be_registered() -> None:
    for given in (Thinned(1.0), int, "rr"):
        with pytest.raises(ParameterError, match="'kind' parameter of register"):
            gl.register(wrong(given))


def test_a_class_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text("import graphldp as gl\n\n\nclass Mine(gl.RR):\n    pass\n")
    record = named.named(f"{path}:Mine")
    assert issubclass(record.kind, gl.RR)
    reports = record.make(1.0).randomize(GRAPHS, rng=0)
    assert reports.origin.name == record.name == f"{record.kind.__module__}:Mine"
    assert str(tmp_path) not in record.name
    assert (named.label_of(record.name), named.colour_of(record.name)) == ("Mine", record.colour)
    with pytest.raises(DataError, match="derived for reports drawn by RR; these come from own@"):
        named.drawn_by(reports, "It", gl.RR)  # its law may be another than RR's
    path.write_text(path.read_text("utf-8") + "# another version\n", "utf-8")
    assert named.named(f"{path}:Mine").name != record.name


def test_a_class_in_a_module() -> None:
    assert named.named("graphldp.mechanisms:RR").name == "rr"


@pytest.mark.attack("learning")
def test_labels_and_colours_run_no_code(tmp_path: Path) -> None:
    """A results file whose cell or series names somebody's Python file."""
    path = tmp_path / "own.py"
    path.write_text("raise SystemExit(3)")
    assert named.label_of(f"{path}:Mine") == "Mine"
    assert named.colour_of(f"{path}:Mine") == named.colour_of(f"{path}:Mine")


def test_unknown_names() -> None:
    with pytest.raises(ParameterError, match=r"'mechanism' parameter of graphldp must be one of dprr, rr, .*own\.py:"):
        named.named("dpr")
