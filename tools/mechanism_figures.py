"""Draw the figures and fill the tables of docs/mechanisms: python -m tools.mechanism_figures.

The numbers of charts and tables are computed from the mechanisms' own laws, none is drawn at random. Pictures of what
leaves a device are one draw each (``tools.report_pictures``).
"""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from tools.fill import DOCS, fill, markdown
from tools.lanes import lean
from tools.report_pictures import PICTURES

import graphldp as gl
from graphldp.pages.plots import Axis, Series, chart, standalone
from graphldp.privacy.utility import public_mean_degree

HERE = DOCS / "mechanisms"
PAGES = tuple(sorted(HERE.glob("*.md")))
EPSILONS = np.geomspace(0.1, 10, 81)
KEYS = {"clip": "dprr", "unbiased": "rr", "bayes": "local-lap"}  # each estimate's colour


def laplace_grid(steps: int = 4000) -> NDArray[np.float64]:
    """The middles of equally likely parts of a standard Laplace law."""
    half = -np.log((np.arange(steps) + 0.5) / steps)
    return np.concatenate((-half, half[::-1]))


def length_moments(mechanism: gl.DPRR, degree: int, n: int) -> tuple[float, float]:
    """Mean and variance of the length of the list of a user with so many friends: both steps, by total variance."""
    budget = mechanism.budget(n)
    noisy = degree + laplace_grid() / float(budget.degree)
    taken = mechanism.estimate(noisy, n, np.exp(-np.full(len(noisy), budget.degree)))
    keep, fake = mechanism.rates(taken, n, 1 / (np.exp(float(budget.edges)) + 1))
    mean = degree * keep + (n - 1 - degree) * fake
    inner = degree * keep * (1 - keep) + (n - 1 - degree) * fake * (1 - fake)
    return float(mean.mean()), float(mean.var() + inner.mean())


def line(key: str, label: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> Series:
    """One line, without marks."""
    return Series(key, label, [(float(a), float(b), None) for a, b in zip(x, y, strict=True)], marked=False)


def share_of_the_degree() -> str:
    """ε₁/ε under "utility" for graphs of several kinds, and under the paper's rule."""
    cases = (("dprr", 3782, None), ("rr", 3782, 2.3), ("local-lap", 136, 9.8), ("nonpriv-part", 4000, 400.0))
    series = []
    for key, n, guess in cases:
        shares = [gl.DPRR(e, allocation="utility", mean_degree=guess).budget(n).degree / e for e in EPSILONS]
        degree = public_mean_degree(n) if guess is None else guess
        series.append(line(key, f"n = {n:,}, guess {degree:.3g}", EPSILONS, np.array(shares)))
    paper = [gl.DPRR(e).budget(3782).degree / e for e in EPSILONS]
    series.append(line("nonpriv-full", "the paper, n = 3,782", EPSILONS, np.array(paper)))
    x = Axis("ε", "log", values=(0.1, 0.3, 1, 3, 10))
    return chart(series, x, Axis("ε₁ / ε", low=0.0), "The share of ε that goes to the degree")


def budgets() -> str:
    """The length of the list of a user with the mean degree, under both splits."""
    rows = []
    for name, n, degree in (("REDDIT-BINARY", 3782, 2), ("IMDB-BINARY", 136, 10)):
        for epsilon in (0.5, 1.0, 2.0, 4.0):
            cells = [f"{name}, n = {n:,}, d = {degree}", f"{epsilon:g}"]
            for mechanism in (gl.DPRR(epsilon), gl.DPRR(epsilon, allocation="utility")):
                budget = mechanism.budget(n)
                mean, variance = length_moments(mechanism, degree, n)
                cells += [f"{budget.degree:.3f} + {budget.edges:.3f}", f"{mean:.2f} ± {variance**0.5:.2f}"]
            rows.append(cells)
    return markdown(["user", "ε", "paper: ε₁ + ε₂", "paper: length", "utility: ε₁ + ε₂", "utility: length"], rows)


def with_estimator(estimator: str, epsilon1: float) -> gl.DPRR:
    """DPRR at ε = 1 with so much of it on the degree."""
    return gl.DPRR(1.0, allocation="fixed", alpha=1 - epsilon1, estimator=cast("Any", estimator))


def what_is_made_of_d_star() -> str:
    """The three estimates as functions of d*."""
    x = np.linspace(-10, 30, 401)
    series = []
    for estimator, key in KEYS.items():
        made = with_estimator(estimator, 0.1).estimate(x, 430, np.exp(-np.full(len(x), 0.1)))
        series.append(line(key, estimator, x, np.maximum(made, 0.0)))
    return chart(
        series, Axis("d*"), Axis("what it is taken for", low=0.0), "Estimates of the degree, ε₁ = 0.1, n = 430"
    )


def expected_lengths() -> str:
    """E[d̃] by true degree."""
    degrees = np.arange(0, 61)
    series = [line("nonpriv-full", "the true degree", degrees.astype(np.float64), degrees.astype(np.float64))]
    for estimator, key in KEYS.items():
        mechanism = with_estimator(estimator, 0.1)
        means = [length_moments(mechanism, int(d), 430)[0] for d in degrees]
        series.append(line(key, estimator, degrees.astype(np.float64), np.array(means)))
    return chart(series, Axis("friends"), Axis("entries in the list, on average", low=0.0), "E[d̃], ε₁ = 0.1, ε₂ = 0.9")


def lengths() -> str:
    """Mean and error of the list's length, by degree."""
    rows = []
    for epsilon1, degree in product((0.1, 0.5), (0, 1, 2, 5, 10, 30, 100)):
        cells = [f"{epsilon1:g}", f"{degree}"]
        for estimator in KEYS:
            mean, variance = length_moments(with_estimator(estimator, epsilon1), degree, 430)
            cells.append(f"{mean:.2f} ({(variance + (mean - degree) ** 2) ** 0.5:.1f})")
        rows.append(cells)
    return markdown(["ε₁", "friends", *KEYS], rows)


def degree_error(mechanism: gl.Mechanism, n: int) -> float:
    """The standard deviation of d*."""
    epsilon1 = float(mechanism.budget(n).degree)
    return float(2**0.5 / epsilon1 if mechanism.degree_noise == "laplace" else 0.5**0.5 / np.sinh(epsilon1 / 2))


def names(mechanism: gl.RowMechanism, friends: int, n: int) -> list[float]:
    """How many friends and how many strangers a list names on average."""
    budget = mechanism.budget(n)
    noisy = friends + laplace_grid() / float(budget.degree) if mechanism.degree_noise else None
    keep, fake = mechanism.rates(noisy, n, 1 / (np.exp(float(budget.edges)) + 1))
    return [float(friends * np.mean(keep)), float((n - 1 - friends) * np.mean(fake))]


def compared() -> str:
    """What a user with ten friends among a thousand users sends under each mechanism, at ε = 1."""
    friends, n, arr, pairs = 10, 1000, gl.ARR(1.0, sampling=0.05), gl.ClosedPairs(1.0)
    both, bits = gl.DPRR(1.0), "randomized response on every bit"
    rows: list[tuple[str, str, str, gl.Mechanism | None, gl.RowMechanism | None]] = [
        ("[`DPRR`](dprr.md)", "noisy degree, sampled randomized response", "ε₁ + ε₂", both, both),
        ("[`RR`](rr.md)", bits, "ε", None, gl.RR(1.0)),
        (f"[`ARR`](arr.md), s = {arr.sampling}", "randomized response, sampled at one rate s", "ε", None, arr),
        ("[`Blink`](blink.md)", f"noisy degree, {bits}", "ε₁ + ε₂", gl.Blink(1.0), gl.Blink(1.0)),
        ("[`LocalLap`](local-lap.md)", "noisy degree, a noisy number for every bit", "ε₁ + ε₂", gl.LocalLap(1.0), None),
        ("[`NoisyDegrees`](noisy-degrees.md)", "noisy degree", "ε", gl.NoisyDegrees(1.0), None),
        ("[`HubLists`](hub-lists.md)", f"noisy degree; hubs a rougher one, and {bits}", "ε", gl.HubLists(1.0), None),
        ("[`HubCounts`](hub-counts.md)", "noisy degree; then hubs two counts of friends", "ε", gl.HubCounts(1.0), None),
        (
            *("[`ClosedPairs`](closed-pairs.md)", f"noisy degree, {bits}; then a count of pairs of friends"),
            *("ε₀ + ε₁ + ε₂", pairs, gl.RR(float(pairs.budget().edges))),
        ),
        ("[`FriendCounts`](friend-counts.md)", "noisy count of friends in each public group", "ε", None, None),
        ("[`MultiBit`](multi-bit.md)", "one noisy bit for each of a few private numbers", "ε", None, None),
        ("[`CategoryRR`](category-rr.md)", "a private category, true or not", "ε", None, None),
        ("[`Joint`](joint.md)", "a mechanism for lists, columns beside it", "the sum of its parts", None, None),
        ("[`LapGraph`](local-lap.md#error)", "every list, to a trusted server", "∞; ε of what it releases", None, None),
        ("[`NonPrivPart`](nonprivate.md)", "public users' lists", "0 for a private user", None, None),
        ("[`NonPrivFull`](nonprivate.md)", "every list as it is", "∞", None, None),
    ]
    head = ["mechanism", "what is sent", "ε of a report", "d* errs by", "friends named", "strangers named"]
    cells = []
    for name, sent, epsilon, degree, lists in rows:
        error = "" if degree is None else f"{degree_error(degree, n):.3g}"
        counts = ["", ""] if lists is None else [f"{each:.3g}" for each in names(lists, friends, n)]
        cells.append([name, sent, epsilon, error, *counts])
    return markdown(head, cells)


CHARTS: dict[str, Callable[[], str]] = {
    "utility-share": share_of_the_degree,
    "estimates": what_is_made_of_d_star,
    "expected-lengths": expected_lengths,
}
TABLES: dict[str, Callable[[], str]] = {"budgets": budgets, "compared": compared, "lengths": lengths}


def figures() -> dict[Path, str]:
    """Every figure's file and what it holds."""
    charts = {name: lean(standalone(draw())) for name, draw in CHARTS.items()}
    pictures = {name: draw() for name, draw in PICTURES.items()}
    return {HERE / "figures" / f"{name}.svg": f"{svg}\n" for name, svg in (charts | pictures).items()}


def main() -> None:
    """Write the figures, and the tables into their pages."""
    (HERE / "figures").mkdir(exist_ok=True)
    for file, svg in figures().items():
        file.write_text(svg)
    for page in PAGES:
        fill(page, TABLES)


if __name__ == "__main__":
    main()
