"""A collector with many reports: ``python -m benchmarks.large --reports 10_000_000 --communities 20_000``.

A store is filled, and copied with a tenth of its reports. Then reports arrive at both over HTTP, by turns. On the full
one all that an operator does is timed. Run again, it goes on after the last step that ended.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from benchmarks.large import chores, rates
from benchmarks.large.fill import fill, thin
from benchmarks.large.notes import Notes, Numbers
from benchmarks.large.people import Population
from benchmarks.large.places import Place, PostgreSQL, Sqlite

from graphldp.collector.storage.store import Store
from graphldp.machines.local import describe


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description="A collector with many reports.")
    parser.add_argument("--reports", type=int, default=1_000_000)
    parser.add_argument("--communities", type=int, default=2_000)
    parser.add_argument("--live", type=int, default=200_000, help="reports that arrive over HTTP, at each store")
    parser.add_argument("--epsilon", type=float, default=1.0, help="by the mechanism that is recommended at it")
    parser.add_argument("--kinds", nargs="+", choices=("sqlite", "postgresql"), default=["sqlite", "postgresql"])
    parser.add_argument("--folder", type=Path, required=True, help="for the databases, on a disk; resumed where it is")
    parser.add_argument("--out", type=Path, help="a JSON file for the numbers")
    parser.add_argument("--only-fill", action="store_true", help="fill the databases, and leave them there")
    parser.add_argument("--keep", action="store_true", help="leave the databases there")
    given = parser.parse_args()
    population = Population(given.reports, given.communities, given.epsilon, -(-given.live // given.communities))
    found = {"reports": given.reports, "communities": given.communities, "epsilon": given.epsilon}
    given.folder.mkdir(parents=True, exist_ok=True)
    for kind in given.kinds:
        notes = Notes(given.folder / f"{kind}.json")
        databases = Sqlite if kind == "sqlite" else PostgreSQL
        with databases(given.folder / kind) as place:
            notes.step("fill", lambda p=place: _filled(p, population))  # type: ignore[misc]
            if not given.only_fill:
                notes.step("thin", lambda p=place: _thinned(p, population))  # type: ignore[misc]
                _measure(notes, place.early, place.full, population, given.folder)
        found[kind] = notes.steps
        if not given.keep and not given.only_fill:
            shutil.rmtree(given.folder / kind)
    if given.out is not None:
        given.out.write_text(json.dumps({"machine": describe("cpu")} | found, indent=2, ensure_ascii=False) + "\n")


def _filled(place: Place, population: Population) -> Numbers:
    store = Store.open(place.full)
    seconds = fill(store, population, print)
    store.close()
    return {"seconds": round(seconds)}


def _thinned(place: Place, population: Population) -> Numbers:
    place.copy()
    store = Store.open(place.early)
    thin(store, population)
    _, reports = store.holdings.totals()
    store.close()
    return {"reports": reports}


def _measure(notes: Notes, early: str, url: str, population: Population, folder: Path) -> None:
    notes.step("arrivals", lambda: rates.compare(early, url, population))
    model, backup = folder / "model.npz", folder / "collector.backup"
    notes.step("size", lambda: chores.size(url))
    notes.step("restart", lambda: chores.restart(url))
    on = ("--database", url)
    results = ("--results", folder / "results.sqlite")
    notes.step("pages", lambda: chores.pages(url))
    notes.step("withdraw", lambda: chores.withdraw(url))
    notes.step("train", lambda: chores.command("collect", "train", model, *results, *on))
    notes.step("label", lambda: chores.command("collect", "label", model, *on))
    notes.step("backup", lambda: chores.command("collect", "backup", backup, "--yes", *on))
    notes.step("verify", lambda: chores.command("collect", "verify", *on))
    notes.step("restore", lambda: chores.command("collect", "restore", backup, "--yes", "--database", early))
    for file in (model, backup, folder / "results.sqlite"):
        file.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
