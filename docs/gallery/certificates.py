# %% [markdown]
# # Labels with certificates
#
# *Which labels stand, whatever one user of a community sends?*
#
# The recipe reads noisy numbers of friends. One liar in each thread, who claims to be friends with everybody, is enough
# to bring it down to guessing.

# %%
import matplotlib.pyplot as plt

import graphldp as gl
from graphldp.threats import FakeHub

graphs = gl.synthetic.threads(num_graphs=300, seed=0)
train, _, test = gl.split(graphs.labels, seed=0)
recipe = gl.recommended(1.0)
reports = recipe.mechanism.randomize(graphs, rng=7)
clf = recipe.classifier.fit(reports.subset(train))
lied = FakeHub(liars=1).apply(reports, rng=7, graphs=test)
print(f"right: {clf.score(reports.subset(test)):.0%}; with one liar: {clf.score(lied.subset(test)):.0%}")

# %% [markdown]
# *Witnesses* help: users are dealt into groups, and everybody counts her friends in each. A hub shows there because all
# her friends say so, and one user moves each sum by a bounded amount. So the classifier knows how many liars a label
# withstands, whatever they send.

# %%
recipe = gl.recommended(1.0, witnesses=True)
reports = recipe.mechanism.randomize(graphs, rng=7)
clf = recipe.classifier.fit(reports.subset(train))
stands = clf.withstands(reports.subset(test), liars=1)
print(f"right: {clf.score(reports.subset(test)):.0%}; stand whatever one user sends: {stands.mean():.0%}")

# %%
plt.plot(graphs.sizes[test], clf.withstood(reports.subset(test)), ".")
plt.xlabel("users of a thread")
plt.ylabel("liars that its label withstands")
plt.yscale("symlog")

# %% [markdown]
# [Labels and liars](../concepts/liars.md) has the bounds, and what it costs on real threads.
