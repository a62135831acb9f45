from __future__ import annotations

import pytest
from tests.values import some

from graphldp.datasets.registry import KNOWN, check_name, suggestion
from graphldp.errors import ParameterError


def test_knows_the_social_datasets() -> None:
    assert set(KNOWN) == {
        "REDDIT-MULTI-5K",
        "REDDIT-MULTI-12K",
        "REDDIT-BINARY",
        "github_stargazers",
        "IMDB-BINARY",
        "IMDB-MULTI",
        "COLLAB",
        "deezer_ego_nets",
        "twitch_egos",
        "reddit_threads",
    }


def test_the_papers_table_2() -> None:
    mean_degrees = {"REDDIT-MULTI-5K": 2.34, "REDDIT-BINARY": 2.32, "github_stargazers": 4.12}
    for name, degree in mean_degrees.items():
        entry = KNOWN[name]
        assert 2 * some(entry.edges_mean) / some(entry.nodes_mean) == pytest.approx(degree, abs=0.005)
    # n_max sets the paper's three floors on ε₁
    floors = {name: (8 / (some(KNOWN[name].nodes_max) - 1)) ** 0.5 for name in mean_degrees}
    assert floors == pytest.approx(
        {"REDDIT-MULTI-5K": 0.0468, "REDDIT-BINARY": 0.0460, "github_stargazers": 0.0915}, abs=1e-4
    )


def test_splits_are_the_papers() -> None:
    splits = {name: entry.split for name, entry in KNOWN.items() if entry.split}
    reddit = (0.75, 0.10, 0.15)
    assert splits == {"REDDIT-MULTI-5K": reddit, "REDDIT-BINARY": reddit, "github_stargazers": (0.65, 0.15, 0.20)}
    assert all(sum(split) == pytest.approx(1) for split in splits.values())


@pytest.mark.parametrize("name", [*KNOWN, "MUTAG", "Tox21_AhR_training", "SF-295H", "alchemy_full"])
def test_good_names(name: str) -> None:
    assert check_name(name, "here") == name


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", "a\\b", ".hidden", "-x", "a b", "a\n", "a\0", "é", "x" * 101, None]
)
def test_bad_names(name: str) -> None:
    with pytest.raises(ParameterError, match="The 'name' parameter of here must be the name of a TU dataset"):
        check_name(name, "here")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("REDIT-BINARY", "REDDIT-BINARY"),
        ("reddit-binary", "REDDIT-BINARY"),
        ("github-stargazers", "github_stargazers"),
        ("IMDB_BINARY", "IMDB-BINARY"),
    ],
)
def test_misspelt_names_get_a_suggestion(typed: str, meant: str) -> None:
    assert suggestion(typed) == f" Did you mean {meant}?"


def test_no_other_name_of_the_collection_gets_a_suggestion() -> None:
    """A suggestion stands in the way of a download, so it must never be wrong about a dataset that exists."""
    others = """
        DD ENZYMES KKI OHSU PROTEINS PROTEINS_full Peking_1 COIL-DEL COIL-RAG Cuneiform FIRSTMM_DB Fingerprint
        TWITTER-Real-Graph-Partial dblp_ct1 facebook_ct1 highschool_ct1 infectious_ct1 mit_ct1 tumblr_ct1
    """
    names = [*KNOWN, *others.split()]
    assert [name for name in names if suggestion(name)] == []
