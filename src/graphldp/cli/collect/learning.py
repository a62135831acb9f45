"""``graphldp collect train`` and ``label``: learn from labelled communities, and label the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphldp.cli import console
from graphldp.cli.collect.store import CommunitiesOption, chosen, open_database
from graphldp.cli.serve import DatabaseOption
from graphldp.cli.source import need_learn
from graphldp.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphldp.collector.community import Community
    from graphldp.collector.storage.store import Store
    from graphldp.reports import Reports


DefenseOption = Annotated[
    str | None,
    typer.Option(
        help="Leave out the users that a defense flags, and show them on the dashboard: threshold, row-column, "
        "guard-accuracy or guard-guarantee."
    ),
]
DeviceOption = Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")]


def train(
    model: Annotated[Path, typer.Argument(help="Where to write the model, a .npz file.", metavar="MODEL")],
    communities: CommunitiesOption = None,
    defense: DefenseOption = None,
    seed: Annotated[int, typer.Option(help="Of weights, batches and the communities held out.")] = 0,
    recommended: Annotated[
        bool,
        typer.Option(
            "--recommended", help="Fit the recommended classifier, on the CPU, instead of a graph neural network."
        ),
    ] = False,
    max_epochs: Annotated[int, typer.Option(min=1, help="The most epochs.")] = 500,
    device: DeviceOption = "auto",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Train on the communities that have a label and a report.

    A tenth of them is held out to measure by, and to stop the network in time. A community's graph is the one induced
    on those who reported.
    """
    need_learn("collect train")
    store = open_database(database)
    labelled = [each for each in chosen(store, communities) if each.label is not None]
    reports = _gather(store, labelled, "labelled", defense, seed)
    from graphldp.collector.storage.results import Run

    settings: dict[str, Any] = {"defense": defense or "none", "seed": seed, "mechanism": str(reports.origin)}
    if recommended:
        validation = _fit_recommended(reports, seed, model)
        settings["classifier"] = "recommended"
    else:
        validation, settings["epochs"] = _fit_network(reports, seed, max_epochs, device, model)
    present = _present(reports)
    run = Run(
        model=str(model),
        communities=reports.num_graphs,
        users=reports.num_users,
        reported=int(present.sum()),
        validation=validation,
        settings=settings,
    )
    store.results.add_run(run)
    row: dict[str, Any] = {"model": run.model, "communities": run.communities, "users": run.users}
    console.show_one(
        row | {"reported": run.reported, "validation accuracy": run.validation} | settings, as_json=as_json
    )


def _fit_network(reports: Reports, seed: int, max_epochs: int, device: str, model: Path) -> tuple[float, int]:
    """Train and save a GIN; its accuracy on the tenth that it stopped by, and how many epochs it took."""
    from graphldp.learn.classifier import GINClassifier

    classifier = GINClassifier(seed=seed, max_epochs=max_epochs, device=device).fit(reports)
    classifier.save(model)
    best = next(each for each in classifier.history_ if each.epoch == classifier.best_epoch_)
    return best.val_accuracy, classifier.n_epochs_


def _fit_recommended(reports: Reports, seed: int, model: Path) -> float:
    """Fit the recommended classifier to all and save it; the accuracy on a tenth of one that was fitted to the rest."""
    from graphldp.learn.selection import split
    from graphldp.learn.tables.profile_classifier import ProfileClassifier

    rest, tenth = split(reports.labels, (0.9, 0.1), seed)
    validation = ProfileClassifier(seed=seed).fit(reports.subset(rest)).score(reports.subset(tenth))
    ProfileClassifier(seed=seed).fit(reports).save(model)
    return float(validation)


def label(
    model: Annotated[Path, typer.Argument(help="A model that 'graphldp collect train' wrote.", metavar="MODEL")],
    communities: CommunitiesOption = None,
    defense: DefenseOption = None,
    device: DeviceOption = "auto",
    database: DatabaseOption = None,
    as_json: console.JsonOption = False,
) -> None:
    """Label the communities that have no label, or those that are named.

    The confidence is the model's probability. Beside it stands how many of the users had reported: a label from few of
    them says little, however sure the model is.
    """
    need_learn("collect label")
    from graphldp.collector.storage.results import Prediction
    from graphldp.learn.loading import load_classifier

    classifier = load_classifier(model, device)
    store = open_database(database)
    wanted = [each for each in chosen(store, communities) if communities or each.label is None]
    reports = _gather(store, wanted, "unlabelled", defense)
    table = classifier.predict_proba(reports)
    present, owner = _present(reports), reports.graph_of_user
    found = [
        Prediction(
            community=int(reports.graph_ids[place]),
            label=int(classifier.classes_[chances.argmax()]),
            confidence=float(chances.max()),
            reported=int(present[owner == place].sum()),
            model=str(model),
        )
        for place, chances in enumerate(table)
    ]
    store.results.set_predictions(found)
    by_key = {each.key: each for each in wanted}
    rows = [
        {
            "community": by_key[each.community].id,
            "label": each.label,
            "confidence": each.confidence,
            "reported": each.reported,
            "users": by_key[each.community].n,
        }
        for each in found
    ]
    console.show(rows, as_json=as_json)


def _gather(store: Store, communities: list[Community], kind: str, defense: str | None, seed: int = 0) -> Reports:
    """The reports of those communities that have any, without the users whom the defense flags."""
    from graphldp.collector.storage.export import export
    from graphldp.threats.named import make_defense

    progress = store.progress()
    heard = [each for each in communities if progress.get(each.key, (0, 0, 0))[1]]
    if not heard:
        raise ParameterError(f"There is no {kind} community with a report among them.")
    if silent := len(communities) - len(heard):
        console.err.print(f"Left out: {silent} communities in which nobody has reported.")
    reports = export(store, heard)
    if defense is None:
        return reports
    kept, verdict = make_defense(defense).apply(reports, rng=seed)
    owner, local = reports.graph_of_user, reports.local_users
    for place, community in enumerate(heard):
        users = local[verdict.flagged & (owner == place)]
        store.results.set_flags(community.key, {int(user): defense for user in users})
    return kept


def _present(reports: Reports) -> NDArray[np.bool_]:
    import numpy as np

    return np.ones(reports.num_users, np.bool_) if reports.missing is None else ~reports.missing
