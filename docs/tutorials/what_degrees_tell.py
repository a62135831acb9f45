# %% [markdown]
# # What degrees tell and edges do not
#
# *Why does a small ε belong to numbers of friends, and not to lists?*
#
# At small ε a noisy list drowns a user's friends in strangers. Her noisy number of friends stays useful. This
# tutorial shows both in pictures.

# %%
import matplotlib.pyplot as plt
import numpy as np

import graphldp as gl

graphs = gl.synthetic.threads(num_graphs=150, seed=0)

# %% [markdown]
# ## Degrees under noise
#
# Each dot is a user. At ε = 1 the noise is about ± 1.4, whoever she is.

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for epsilon, axis in zip((0.2, 1.0), axes, strict=True):
    reports = gl.NoisyDegrees(epsilon=epsilon).randomize(graphs, rng=7)
    axis.plot(graphs.degrees, reports.noisy_degree, ".", markersize=3, alpha=0.4)
    axis.plot([0, graphs.degrees.max()], [0, graphs.degrees.max()], color="grey", linewidth=0.8)
    axis.set(title=f"ε = {epsilon:g}", xlabel="true number of friends")
axes[0].set_ylabel("noisy number")
plt.show()

# %% [markdown]
# Hubs stand out at either ε. Whether a user has two friends or three stays in doubt.
#
# ## The law of degrees, recovered
#
# Of one user little is known. Of all users together much is: the law of the noise is public, so it can be taken out
# of the histogram. This costs no ε.

# %%
reports = gl.NoisyDegrees(epsilon=0.5).randomize(graphs, rng=7)
recovered = gl.statistics(reports).smoothed
true = np.bincount(graphs.degrees, minlength=len(recovered)) / graphs.num_users
rounded = np.bincount(np.clip(np.rint(reports.noisy_degree), 0, None).astype(int), minlength=len(recovered))

plt.figure(figsize=(6, 3.5))
plt.plot(true[:15], marker="o", label="true")
plt.plot(rounded[:15] / graphs.num_users, linestyle="--", label="noisy, ε = 0.5")
plt.plot(recovered[:15], marker="x", label="recovered")
plt.xlabel("number of friends")
plt.ylabel("share of users")
plt.legend()
plt.show()

# %% [markdown]
# ## Lists under noise
#
# Of the names on a noisy list, how many are friends? We count, since we have the true graphs.


# %%
def share_of_friends(mechanism):
    """Of the reported names, the share that is true."""
    reports = mechanism.randomize(graphs, rng=7)
    graph_start = np.repeat(graphs.graph_ptr[:-1], graphs.sizes)

    def pairs(lists):
        user = np.repeat(np.arange(lists.num_users), np.diff(lists.indptr))
        return user * graphs.num_users + graph_start[user] + lists.indices

    return np.isin(pairs(reports), pairs(graphs)).mean()


epsilons = (0.5, 1.0, 2.0, 4.0, 6.0)
plt.figure(figsize=(6, 3.5))
for kind in (gl.RR, gl.DPRR):
    plt.plot(epsilons, [share_of_friends(kind(epsilon=each)) for each in epsilons], marker="o", label=kind.__name__)
plt.xlabel("ε")
plt.ylabel("friends among the names")
plt.ylim(0, 1)
plt.legend()
plt.show()

# %% [markdown]
# At ε = 1 nearly all names are strangers. This is no fault of the mechanisms: it is what hiding each of n bits costs.
#
# So `gl.recommended` spends all of a small ε on degrees. From ε = 2 on, it asks hubs for their lists as well, since
# who gathers around a hub tells something that no degree does.

# %%
for epsilon in (0.5, 1.0, 2.0):
    print(f"ε = {epsilon:g}: {type(gl.recommended(epsilon).mechanism).__name__}")
