"""A mechanism of your own: one class, one method, and everything else works with it.

Run: python examples/own_mechanism.py

The commands take it too, with no other file:

    graphldp randomize synthetic:threads -m examples/own_mechanism.py:HalfResponse -e 4 --out reports.npz
    graphldp train synthetic:threads -m examples/own_mechanism.py:HalfResponse -e 4 --out runs/half
    graphldp audit examples/own_mechanism.py:HalfResponse -e 1
"""

from typing import Any

import graphldp as gl


class HalfResponse(gl.RowMechanism):
    """Randomized response that sends every second entry only.

    Each bit keeps its value with probability p = e^ε/(1+e^ε), and what would be reported is sent with probability 1/2.
    Dropping entries at random is post-processing, so it is still ε-edge-LDP, at half the traffic. (This is
    gl.ARR with sampling=0.5, written out.)
    """

    def rates(self, noisy_degree: Any, n: Any, flip: Any) -> Any:
        """Pr(reported | neighbour) and Pr(reported | stranger), with flip = 1 − p."""
        return (1 - flip) / 2, flip / 2


def main() -> None:
    """Check it, name it, draw reports with it and learn from them."""
    mechanism = HalfResponse(epsilon=4.0)
    # the contract that every mechanism of graphldp passes: shapes, seeds, public users, ε
    gl.check_mechanism(mechanism)
    gl.register(HalfResponse, label="Half response")  # from here on its name is half-response, wherever a name goes

    graphs = gl.synthetic.threads(num_graphs=150, seed=0)
    reports = mechanism.randomize(graphs, rng=7)
    print(f"drawn by {reports.origin}")
    print(reports.guarantee)
    print(f"entries: {graphs.num_entries:,} true, {reports.num_entries:,} reported")

    train, val, test = gl.split(reports.labels, seed=0)
    clf = gl.GINClassifier(layers=3, hidden=16, max_epochs=40, seed=0)
    clf.fit(reports.subset(train), validation=reports.subset(val))
    print(f"accuracy on {len(test)} new threads: {clf.score(reports.subset(test)):.3f}")


if __name__ == "__main__":
    main()
