# %% [markdown]
# # When users lie
#
# Noise protects users from the server. What protects the server from users? Anybody can send a false report. We let a
# few users lie, see what happens to the labels, and use a classifier that says how many liars each label withstands.

# %%
import matplotlib.pyplot as plt
import numpy as np

import graphldp as gl
from graphldp.threats import FakeHub

graphs = gl.synthetic.threads(num_graphs=200, seed=0)
recipe = gl.recommended(1.0)
reports = recipe.mechanism.randomize(graphs, rng=7)
train, _, test = gl.split(reports.labels, seed=0)

# %% [markdown]
# ## The attack
#
# In each test thread, some users claim to be friends with everybody. A thread with a fake hub looks like one that
# gathers around hubs.

# %%
clf = recipe.classifier.fit(reports.subset(train))
robust = recipe.defense.fit(reports.subset(train))

liars = (0, 1, 2, 4)
scores = {"the recipe": [], "its defense": []}
for count in liars:
    seen = FakeHub(liars=count).apply(reports, rng=7, graphs=test) if count else reports
    scores["the recipe"].append(clf.score(seen.subset(test)))
    scores["its defense"].append(robust.score(seen.subset(test)))

plt.figure(figsize=(6, 3.5))
for name, values in scores.items():
    plt.plot(liars, values, marker="o", label=name)
plt.xticks(liars)
plt.xlabel("liars in each test thread")
plt.ylabel("accuracy")
plt.ylim(0, 1)
plt.legend()
plt.show()

# %% [markdown]
# One liar is enough to bring the recipe down to guessing. The defense costs some accuracy where nobody lies, and holds.
#
# ## What is certain
#
# The defense bounds the weight of every user's report. So it can count: this label stands, whatever any k users of
# the thread send. This holds for every lie, not only for the one that we tried.

# %%
certified = robust.certify(reports.subset(test))
plt.figure(figsize=(6, 3.5))
most = int(certified.max())
plt.plot(np.arange(most + 1), [(certified >= k).mean() for k in range(most + 1)], drawstyle="steps-post")
plt.xlabel("k")
plt.ylabel("labels that withstand k liars")
plt.ylim(0, 1)
plt.show()

# %% [markdown]
# Small threads withstand few liars: there, one report among ten is a tenth of what is known. [Forged
# degrees](../forged-degrees.md) has the bounds, and [threats](../threats.md) the attacks on real graphs.
