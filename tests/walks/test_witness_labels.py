"""From reports by witnesses in a collector to labels that a liar does not change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from graphldp import wire
from graphldp.client.sampling import sampler
from graphldp.client.sampling.entropy import Entropy
from graphldp.collector import tokens
from graphldp.collector.community import Community
from graphldp.collector.offers import Split, offers
from graphldp.collector.storage.collecting.accepting import Ruling, Submission
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError
from graphldp.experiments.service.collected import label_collected, train_collected
from graphldp.learn.loading import load_classifier
from graphldp.learn.tables.witness_classifier import WitnessClassifier
from graphldp.wire.deal import GROUPS

N, EPSILON, LABELLED, LATE = 30, 4.0, 60, 7
ROSTER = [f"user {user}" for user in range(N)]


def friends_of(user: int, star: bool) -> list[int]:
    """Everybody knows user 0, or those beside her."""
    if star:
        return list(range(1, N)) if user == 0 else [0]
    return sorted({(user - 1) % N, (user + 1) % N})


def sent(store: Store, made: Community, source: Random, star: bool, users: list[int], token: dict[int, str]) -> None:
    """Reports as devices draw them."""
    some = []
    for user in users:
        mine = np.array(friends_of(user, star), np.int32)
        report = sampler.draw(
            *(mine,),
            mechanism="friend-counts",
            n=N,
            user=user,
            epsilon1=EPSILON,
            epsilon2=0.0,
            groups=store.groups(made),
            _entropy=Entropy(_source=source.randbytes),
        )
        some.append(Submission(made.key, user, tokens.hashed(token[user]), wire.encode(report)))
    assert set(store.accept(some)) == {Ruling.STORED}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Stars and rings; the last two have no label yet, and one user of each is late."""
    opened, source = Store.open(f"sqlite:///{tmp_path_factory.mktemp('witnesses') / 'collector.db'}"), Random(5)
    mechanism, choices = offers([EPSILON, 2 * EPSILON], None, N, Split(), witnesses=True)
    for number in range(LABELLED + 2):
        id, label = f"c{number}", number % 2 if number < LABELLED else None
        made = opened.open_community(id, ROSTER, mechanism=mechanism, choices=choices, label=label, dealt=True)
        users = [user for user in range(N) if label is not None or user != LATE]
        sent(opened, made, source, bool(number % 2), users, opened.invite(id))
    yield opened
    opened.close()


def test_labels_say_how_many_liars_they_withstand(store: Store, tmp_path: Path) -> None:
    """A late liar who tells all she can of the other class changes no label; the plain defense setting is the same."""
    model, communities = tmp_path / "model.npz", store.communities()
    run = train_collected(
        *(store, communities, model, tmp_path / "results.sqlite"),
        defense="recommended",
        recommended=True,
        min_reports=1,
    )
    assert run.communities == LABELLED
    assert f"dealt={GROUPS}" in run.settings["mechanism"]
    assert run.validation == 1.0
    assert isinstance(load_classifier(model), WitnessClassifier)
    unknown = [each for each in communities if each.label is None]
    before = [label for _, label in label_collected(store, unknown, model, min_reports=1)]
    assert [each.label for each in before] == [0, 1]
    assert all((each.certified or 0) >= 1 for each in before)
    assert [each.reported for each in before] == [N - 1, N - 1]
    for community, lie in zip(unknown, (9, -9), strict=True):
        report = wire.Report(
            *("friend-counts", N, LATE, EPSILON, 0.0, None, np.zeros(0, np.int32)), counts=(lie,) * GROUPS
        )
        (token,) = store.invite(community.id, [LATE]).values()
        assert store.accept([Submission(community.key, LATE, tokens.hashed(token), wire.encode(report))]) == [
            Ruling.STORED
        ]
    after = [label for _, label in label_collected(store, unknown, model, min_reports=1)]
    assert [each.label for each in after] == [0, 1]
    with pytest.raises(ParameterError, match="left out where communities have witnesses"):
        train_collected(
            *(store, communities, model, tmp_path / "results.sqlite"),
            defense="recommended",
            recommended=True,
            allowance=0.05,
        )
