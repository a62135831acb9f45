# %% [markdown]
# # Your own graphs
#
# *How do I label my NetworkX graphs under privacy?*
#
# You have graphs in NetworkX and a label for each. Three steps lead to labels of new graphs under privacy: load them,
# draw reports, fit.

# %%
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import graphldp as gl

rings = [nx.connected_watts_strogatz_graph(40 + seed % 20, 6, 0.2, seed=seed) for seed in range(60)]
grown = [nx.barabasi_albert_graph(40 + seed % 20, 3, seed=seed) for seed in range(60)]
graphs = gl.GraphSet.from_networkx(rings + grown, labels=[0] * 60 + [1] * 60)
graphs

# %% [markdown]
# Both kinds have nearly the same mean degree, so the number of edges tells little. What differs is how degrees are
# spread:

# %%
kind = np.repeat(graphs.labels, graphs.sizes)
bins = np.arange(0, 26)
plt.figure(figsize=(6, 3.5))
for label, name in enumerate(("small world", "preferential attachment")):
    plt.hist(graphs.degrees[kind == label], bins, alpha=0.6, label=name)
plt.xlabel("true number of friends")
plt.ylabel("users")
plt.legend()
plt.show()

# %% [markdown]
# ## Reports
#
# The same picture from noisy numbers. The noise blurs it, but the long tail of one kind is still there.

# %%
recipe = gl.recommended(1.0)
reports = recipe.mechanism.randomize(graphs, rng=7)
plt.figure(figsize=(6, 3.5))
for label, name in enumerate(("small world", "preferential attachment")):
    plt.hist(reports.noisy_degree[kind == label], bins, alpha=0.6, label=name)
plt.xlabel("noisy number of friends, ε = 1")
plt.ylabel("users")
plt.legend()
plt.show()

# %% [markdown]
# ## Labels

# %%
train, _, test = gl.split(reports.labels, seed=0)
clf = recipe.classifier.fit(reports.subset(train))
print(f"{clf.score(reports.subset(test)):.0%} of {len(test)} graphs are labelled right")
print("how sure it is of the first three:", clf.predict_proba(reports.subset(test[:3])).max(axis=1).round(2))

# %% [markdown]
# ## Some users need no privacy
#
# Let a fifth of the users publish their lists, with ε = ∞, and the others keep ε = 1. The guarantee says what that
# means for them.

# %%
epsilon = gl.customized(graphs, epsilon=1.0, public_fraction=0.2, rng=7)
reports = gl.DPRR(epsilon=epsilon).randomize(graphs, rng=7)
print(reports.guarantee)
