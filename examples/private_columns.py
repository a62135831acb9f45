"""Label whole graphs by private columns of their users, in the layout of TU datasets such as PROTEINS.

Run: python examples/private_columns.py
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import graphldp as gl


def write_tu(folder: Path, communities: int = 120, members: int = 40, seed: int = 0) -> None:
    """Stands for a downloaded archive: communities of two classes, which differ in the jobs of their members."""
    draw = np.random.default_rng(seed)
    label = draw.integers(0, 2, communities)
    teacher = np.where(label, 0.55, 0.35)
    jobs = np.where(
        draw.random((communities, members)) < teacher[:, None], 0, draw.integers(1, 3, (communities, members))
    )
    friends = draw.integers(0, members, (communities, 2 * members, 2))
    start = members * np.arange(communities)
    pairs = [(a + s + 1, b + s + 1) for s, each in zip(start, friends, strict=True) for a, b in each if a != b]
    parts: dict[str, list[Any]] = {
        "A": [f"{a}, {b}" for a, b in pairs],
        "graph_indicator": np.repeat(np.arange(1, communities + 1), members).tolist(),
        "graph_labels": label.tolist(),
        "node_labels": jobs.ravel().tolist(),
    }
    for name, lines in parts.items():
        (folder / f"JOBS_{name}.txt").write_text("".join(f"{line}\n" for line in lines))


def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "JOBS").mkdir()
        write_tu(Path(root) / "JOBS")
        graphs = gl.load_dataset("JOBS", root=root)  # columns are private until somebody says otherwise
    train, test = gl.split(graphs.labels, (0.7, 0.3), seed=0)

    # Each member tells her job truly or not, and a noisy degree beside it: one report, one ε.
    mechanism = gl.Joint(edges=gl.NoisyDegrees(0.1), features=gl.CategoryRR(0.9, categories=3))
    for epsilon in (1.0, 4.0):
        reports = mechanism.at(epsilon).randomize(graphs, rng=0)
        clf = gl.ProfileClassifier(seed=0).fit(reports.subset(train))
        print(f"accuracy at ε = {epsilon:g}: {clf.score(reports.subset(test)):.3f}")
    print(reports.guarantee)


if __name__ == "__main__":
    main()
