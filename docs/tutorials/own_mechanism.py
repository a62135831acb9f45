# %% [markdown]
# # Your own mechanism
#
# We write a mechanism, check it, look at what it costs, and see how the audit catches a wrong one.

# %%
import matplotlib.pyplot as plt
import numpy as np

import graphldp as gl
from graphldp.audit.montecarlo import audit_mechanism


class Thinned(gl.RowMechanism):
    """Randomized response that sends a tenth of its entries."""

    def rates(self, noisy_degree, n, flip):
        return (1 - flip) / 10, flip / 10


# %% [markdown]
# `rates` gives two probabilities: that a friend is reported, and that a stranger is. `flip` is 1/(1 + e^ε), so their
# ratio is e^ε. That a friend is *not* reported has probability 1 − (1 − flip)/10, and the ratio of those two is
# nearer to 1. So the mechanism keeps ε.
#
# ## Check it
#
# The contract: shapes, seeds, public users, budgets.

# %%
gl.check_mechanism(Thinned(epsilon=1.0))

# %% [markdown]
# The audit draws many reports of lists that differ in one friendship, and asks how well somebody could tell them
# apart. `shown` is the ε that it could prove; it must not be above `claimed`.

# %%
found = audit_mechanism(Thinned(epsilon=1.0), samples=50_000)
print(f"claimed {found.claimed}, shown {found.shown:.2f}, holds: {found.holds}")

# %% [markdown]
# ## A wrong one
#
# This one reports friends twice as often, which looks harmless. It is not: the ratio is now 2·e^ε.


# %%
class TooKeen(gl.RowMechanism):
    """Wrong: spends more than it says."""

    def rates(self, noisy_degree, n, flip):
        return (1 - flip) / 2, flip / 4


found = audit_mechanism(TooKeen(epsilon=1.0), samples=50_000)
print(f"claimed {found.claimed}, shown {found.shown:.2f}, holds: {found.holds}")

# %% [markdown]
# ## What it sends
#
# Thinning keeps lists short. How many of the names on them are friends does not change: thinning drops friends and
# strangers alike.

# %%
graphs = gl.synthetic.threads(num_graphs=60, seed=0)
epsilons = (1.0, 2.0, 4.0, 6.0)
figure, axis = plt.subplots(figsize=(6, 3.5))
for kind in (gl.RR, Thinned, gl.DPRR):
    lengths = [np.diff(kind(epsilon=each).randomize(graphs, rng=7).indptr).mean() for each in epsilons]
    axis.plot(epsilons, lengths, marker="o", label=kind.__name__)
axis.axhline(graphs.degrees.mean(), linestyle=":", color="grey", label="true lists")
axis.set(xlabel="ε", ylabel="names on a list, mean", yscale="log")
axis.legend()
plt.show()

# %% [markdown]
# ## Use it by name
#
# Once registered, its name works wherever ours do, and results carry it.

# %%
gl.register(Thinned, label="Thinned")
reports = Thinned(epsilon=4.0).randomize(graphs, rng=7)
print(reports.origin)
