"""The tables about stars and triangles of docs/guides/surveys.md, for :mod:`tools.surveys`.

Nothing is drawn for the first: the errors follow from the true graph, which is grown from a seed, and from the laws of
the noise. The second holds what ``python -m benchmarks.rounds`` measured.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from math import ceil, comb, exp, factorial, sqrt
from pathlib import Path

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.laguerre import laggauss
from numpy.typing import NDArray
from tools.fill import markdown

import graphldp as gl
from graphldp.estimates.noise import spread
from graphldp.estimates.pairs import by_law
from graphldp.privacy.caps import pair_caps
from graphldp.privacy.pairs import slack_of

EPSILONS = (0.5, 1.0, 2.0)


@cache
def graph() -> gl.GraphSet:
    """The graph of the table."""
    return gl.synthetic.barabasi_albert(1000, 5, 1, seed=0)


@cache
def common() -> NDArray[np.float64]:
    """How many common friends each pair of users has; on the diagonal degrees."""
    raw = graph()
    edges = np.zeros((raw.num_users, raw.num_users))
    edges[np.repeat(np.arange(raw.num_users), raw.degrees), raw.indices] = 1
    return edges @ edges


def stars(k: int) -> int:
    """How many k-stars there are."""
    return sum(comb(int(degree), k) for degree in graph().degrees)


def triangles() -> int:
    """How many triangles there are."""
    raw = graph()
    return int(common()[np.repeat(np.arange(raw.num_users), raw.degrees), raw.indices].sum()) // 6


def own_stars(k: int, epsilon: float) -> float:
    """The relative error by noisy degrees; quadrature is exact for the variance of a polynomial of d + Lap(b)."""
    f = Polynomial.fromroots(range(k)) / factorial(k)
    g = f - f.deriv(2) / epsilon**2
    nodes, weights = laggauss(2 * k + 1)
    noise, chance = np.append(nodes, -nodes) / epsilon, np.append(weights, weights) / 2
    degree, users = np.unique(graph().degrees, return_counts=True)
    variance = g(degree[:, None] + noise) ** 2 @ chance - f(degree) ** 2
    return sqrt(users @ variance) / stars(k)


def published_stars(k: int, epsilon: float) -> float:
    """The same of Lap(C(d_max, k−1)/ε) on each user's own count."""
    scale = comb(int(graph().degrees.max()), k - 1) / epsilon
    return sqrt(graph().num_users * 2 * scale**2) / stars(k)


def list_triangles(reports: int, epsilon: float) -> float:
    """The relative error of triangles from randomized response, with so many reports of each pair."""
    p, n = exp(epsilon) / (1 + exp(epsilon)), graph().num_users
    v = p * (1 - p) / (2 * p - 1) ** 2 / reports  # of a pair's bit, whether there is an edge or not
    squares = (common() ** 2).sum() - (np.diagonal(common()) ** 2).sum()
    variance = v * squares / 2 + v**2 * graph().num_entries / 2 * (n - 2) + v**3 * comb(n, 3)
    return sqrt(variance) / triangles()


def closed_triangles(epsilon: float) -> float:
    """The relative error by :class:`graphldp.ClosedPairs`, its answers alone."""
    mechanism, n = gl.ClosedPairs(epsilon), graph().num_users
    spent = mechanism.budget(n)
    epsilon0, epsilon2, flip = float(spent.degree), float(spent.answer), 1 / (1 + exp(float(spent.edges)))
    slack, reach = slack_of(epsilon0, mechanism.slack, n), ceil(30 / epsilon0)
    noise = np.arange(-reach, reach + 1)
    chance = np.tanh(epsilon0 / 2) * np.exp(-epsilon0 * np.abs(noise))
    degree, users = np.unique(graph().degrees, return_counts=True)
    told = degree[:, None] + noise
    offset = by_law(told.ravel(), n, flip, epsilon0, slack)[0].reshape(told.shape)
    caps = pair_caps(told, n, flip, slack)
    follows = 2 * flip * (degree * (degree - 1))[:, None] - caps * degree[:, None] - offset
    own = (2 * spread(epsilon2 / caps) + follows**2) @ chance
    v = flip * (1 - flip) / (1 - 2 * flip) ** 2 / 2
    squares = (common() ** 2).sum() - (np.diagonal(common()) ** 2).sum()
    return sqrt(users @ own / (12 * (1 - 2 * flip)) ** 2 + v * squares / 18) / triangles()


LINES: Mapping[str, Callable[[float], float]] = {
    "2-stars, here": lambda epsilon: own_stars(2, epsilon),
    "2-stars, published": lambda epsilon: published_stars(2, epsilon),
    "3-stars, here": lambda epsilon: own_stars(3, epsilon),
    "3-stars, published": lambda epsilon: published_stars(3, epsilon),
    "triangles, both bits of a pair": lambda epsilon: list_triangles(2, epsilon),
    "triangles, one bit, as published": lambda epsilon: list_triangles(1, epsilon),
    "triangles, two rounds": closed_triangles,
}


def errors() -> str:
    """Relative errors against ε."""
    rows = [[name, *(_percent(error(epsilon)) for epsilon in EPSILONS)] for name, error in LINES.items()]
    return markdown(["relative error", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], rows)


def rounds() -> str:
    """Errors in one round and in two, of two colleges."""
    kept = Path(__file__).parents[1] / "benchmarks" / "results" / "surveys" / "rounds.json"
    rows: dict[str, list[dict[str, float]]] = {}
    for row in json.loads(kept.read_text()):
        rows.setdefault(f"{row['graph']}, {row['survey']}", []).append(row)
    shown = [
        [
            name,
            f"{100 * triangles['error'] / triangles['truth']:.2g} %",
            f"{triangles['covered']:.0%}".replace("%", " %"),
            f"{clustering['error']:.2g}",
            f"{clustering['covered']:.0%}".replace("%", " %"),
        ]
        for name, (triangles, clustering) in rows.items()
    ]
    return markdown(["", "triangles: error", "intervals that hold", "clustering: error", "intervals that hold"], shown)


def _percent(share: float) -> str:
    return f"{float(f'{100 * share:.3g}'):,g} %"


TABLES: Mapping[str, Callable[[], str]] = {"counts": errors, "rounds": rounds}
