# %% [markdown]
# # Compare mechanisms on your data
#
# *Which mechanism labels my graphs best at an ε?*
#
# `gl.compare` draws reports by each mechanism, trains on one part of the graphs and labels the other; all get the same
# splits. Two controls stand below: what the size of a community tells alone, and what sizes and noisy degrees tell.

# %%
import graphldp as gl

graphs = gl.synthetic.threads(num_graphs=100, seed=0)  # or gl.GraphSet.from_csv("edges.csv", labels="labels.csv")
contestants = {"recipe": "recommended", "DPRR": gl.DPRR}
found = gl.compare(graphs, contestants, epsilon=[0.5, 2], seeds=3, workers=1)
found

# %%
figure = found.plot()

# %% [markdown]
# Is the recipe better than DPRR, split by split? It is clear where the interval does not hold 0. Three seeds are few:
# take ten. [Compare mechanisms](../guides/compare.md) has the options, and how to read intervals.

# %%
found.difference("recipe", "DPRR", epsilon=0.5)
