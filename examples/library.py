"""graphldp as a library: noisy reports in, labels out.

Run: python examples/library.py
"""

import graphldp as gl

# Two kinds of discussion threads; gl.load_dataset("REDDIT-BINARY") gives the real thing.
graphs = gl.synthetic.threads(num_graphs=200, seed=0)

# Every user draws one noisy report on her own device: here a degree and a list. From here on nobody sees a true edge.
reports = gl.DPRR(epsilon=2.0).randomize(graphs, rng=7)
print(reports.guarantee)

# The server learns from the reports alone.
train, val, test = gl.split(reports.labels, ratios=(0.75, 0.10, 0.15), seed=0)
clf = gl.GINClassifier(layers=3, hidden=32, max_epochs=60, seed=0)
clf.fit(reports.subset(train), validation=reports.subset(val))
print(f"best epoch {clf.best_epoch_} of {clf.n_epochs_}")
print(f"accuracy on {len(test)} new threads: {clf.score(reports.subset(test)):.3f}")
