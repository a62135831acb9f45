"""Fill the table of docs/counts.md: python -m tools.counts.

Nothing is drawn: the errors follow from the true graph, which is grown from a seed, and from the laws of the noise.
"""

from collections.abc import Callable, Mapping
from functools import cache
from math import comb, exp, factorial, sqrt

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.laguerre import laggauss
from numpy.typing import NDArray
from tools.fill import DOCS, fill, markdown

import graphldp as gl

PAGES = (DOCS / "counts.md",)
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
    """The relative error of ``gl.count_stars``; quadrature is exact for the variance of a polynomial of d + Lap(b)."""
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


LINES: Mapping[str, Callable[[float], float]] = {
    "2-stars, here": lambda epsilon: own_stars(2, epsilon),
    "2-stars, published": lambda epsilon: published_stars(2, epsilon),
    "3-stars, here": lambda epsilon: own_stars(3, epsilon),
    "3-stars, published": lambda epsilon: published_stars(3, epsilon),
    "triangles, both bits of a pair": lambda epsilon: list_triangles(2, epsilon),
    "triangles, one bit, as published": lambda epsilon: list_triangles(1, epsilon),
}


def errors() -> str:
    """Relative errors against ε."""
    rows = [[name, *(_percent(error(epsilon)) for epsilon in EPSILONS)] for name, error in LINES.items()]
    return markdown(["relative error", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], rows)


def _percent(share: float) -> str:
    return f"{float(f'{100 * share:.3g}'):,g} %"


TABLES: Mapping[str, Callable[[], str]] = {"counts": errors}


if __name__ == "__main__":
    fill(PAGES[0], TABLES)
