"""What is known by name: datasets, as the registry describes them, and experiments, as their constants say."""

from __future__ import annotations

from tools.fill import markdown

from graphldp.datasets.registry import KNOWN, NODE_DATASETS
from graphldp.experiments.plans.figures import EXPERIMENTS


def datasets() -> str:
    """Those of many graphs, then those of one graph whose users have classes."""
    many = []
    for name, each in KNOWN.items():
        split = "/".join(f"{100 * share:.0f}" for share in each.split or ())
        means = f"{each.nodes_mean:,.1f}", f"{each.edges_mean:,.1f}"
        about = f"{each.about}{f'; the paper splits it {split}' if split else ''}"
        many.append([name, f"{each.graphs:,}", f"{each.classes}", *means, about])
    one = [
        [name, f"{each.users:,}", f"{each.features:,}", f"{each.edges:,}", f"{each.classes}", each.about]
        for name, each in NODE_DATASETS.items()
    ]
    head = ["name", "graphs", "classes", "users, mean", "edges, mean", "what it is"]
    return f"{markdown(head, many)}\n\n{markdown(['name', 'users', 'features', 'edges', 'classes', 'what it is'], one)}"


def experiments() -> str:
    """Where each is in the paper, and what it puts side by side."""
    rows: list[list[str | None]] = []
    for name, each in EXPERIMENTS.items():
        place = "" if each.paper.startswith("beyond") else f"{each.paper}: "
        rows.append([f"`{name}`", f"{place}{each.title}", ", ".join(getattr(each, "methods", ())) or None])
    return markdown(["experiment", "what, and where in the paper", "methods"], rows)
