# %% [markdown]
# # Label communities without seeing a friendship
#
# *How do I get from graphs to labels, and how much noise does it bear?*
#
# Some discussion threads gather around a few busy users. In others, users mostly reply to each other. We teach a
# classifier to tell them apart, from noisy reports alone, and look at how much noise it can bear.

# %%
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import graphldp as gl

graphs = gl.synthetic.threads(num_graphs=200, seed=0)
graphs

# %% [markdown]
# One thread of each kind. Only we can see these pictures; the server will not.

# %%
small = np.flatnonzero((graphs.sizes > 30) & (graphs.sizes < 60))
figure, axes = plt.subplots(1, 2, figsize=(9, 4))
for label, axis in enumerate(axes):
    chosen = next(graph for graph in small if graphs.labels[graph] == label)
    drawn = graphs.subset([chosen]).to_networkx()[0]
    nx.draw(drawn, nx.spring_layout(drawn, seed=1), axis, node_size=30, width=0.6)
    axis.set_title(f"label {label}: {('around hubs', 'a tree of replies')[label]}")
plt.show()

# %% [markdown]
# ## Noise
#
# `gl.recommended` knows which mechanism does best at an ε. At ε = 1 it is the number of friends, with noise, and no
# list at all.

# %%
recipe = gl.recommended(1.0)
reports = recipe.mechanism.randomize(graphs, rng=7)
print(recipe.mechanism)
print(reports.guarantee)

# %% [markdown]
# Some numbers are right and some are not. Nobody can tell which:

# %%
print("true: ", graphs.degrees[:12])
print("noisy:", reports.noisy_degree[:12].astype(int))

# %% [markdown]
# ## Labels
#
# Three quarters of the threads train the classifier. It has never seen the others.

# %%
train, _, test = gl.split(reports.labels, seed=0)
clf = recipe.classifier.fit(reports.subset(train))
print(f"{clf.score(reports.subset(test)):.0%} of {len(test)} new threads are labelled right")

# %% [markdown]
# ## How much noise is too much?
#
# We repeat this for several ε, each with two splits and two draws of noise.

# %%
epsilons = (0.1, 0.5, 2.0)
means = []
for epsilon in epsilons:
    recipe = gl.recommended(epsilon)
    scores = []
    for seed in range(2):
        reports = recipe.mechanism.randomize(graphs, rng=seed)
        train, _, test = gl.split(reports.labels, seed=seed)
        scores.append(recipe.classifier.fit(reports.subset(train)).score(reports.subset(test)))
    means.append(scores)

plt.figure(figsize=(6, 3.5))
plt.plot(epsilons, np.mean(means, axis=1), marker="o")
plt.plot(np.repeat(epsilons, 2), np.ravel(means), ".", color="grey")
plt.xscale("log")
plt.xlabel("ε (smaller is more private)")
plt.ylabel("accuracy")
plt.axhline(0.5, linestyle=":", color="grey")
plt.title("Mean and single splits; dotted: guessing")
plt.show()

# %% [markdown]
# Each grey dot stands on some thirty test threads, so single dots jump. [The recipe](../evidence/recipe.md) has
# the same curve on real threads, with ten splits and intervals.
