# %% [markdown]
# # A survey of friendships
#
# *How do I get from a question about a school to numbers with error bars?*
#
# A school asks: how connected are our 300 pupils, is anybody alone, and do the three years mix? Nobody wants to hand in
# a list of friends. So each pupil's device reports how many friends she has in each year, with noise. This tutorial
# goes from the question to numbers with error bars.
#
# ## Before anybody is asked
#
# The plan says how far each number may be off, for a given ε. A smaller ε protects a friendship better, and costs
# precision.

# %%
import matplotlib.pyplot as plt
import numpy as np

import graphldp as gl

plan = gl.plan(users=300, groups=3, epsilon=1.0)
print(plan)

# %%
plan.plot()
plt.show()

# %% [markdown]
# ## The reports
#
# We invent the school, so that we can compare with the truth later. The year is public, friendships are not. A fifth
# of the pupils do not answer.

# %%
school = gl.synthetic.communities(users=300, kinds=3, seed=1)
school = school.with_groups(school.node_labels)
reports = gl.FriendCounts(epsilon=1.0).randomize(school, rng=7)
silent = np.random.default_rng(2).random(300) < 0.2
reports = reports.changed(missing=silent)
print(reports.guarantee)

# %% [markdown]
# ## What they tell
#
# Each row has its 95 % interval. What must be assumed, because a fifth is missing, stands beside it.

# %%
found = gl.statistics(reports, groups=["year 1", "year 2", "year 3"])
print(found)
print(found["friendships"].assumed)

# %%
found.plot()
plt.show()

# %% [markdown]
# The matrix is darker on its diagonal: friends are mostly of one year. The *E–I index* says so in one number, from −1
# (all friendships inside a year) to 1 (all between years).
#
# ## Was it right?
#
# A real survey cannot know. Here we can, and ask a hundred times, each time with fresh noise and other pupils silent.
# An interval of 95 % misses the truth about five times.

# %%
one, two = (np.asarray(school.groups)[each] for each in (np.repeat(np.arange(300), school.degrees), school.indices))
truth = {"friendships": len(one) / 2, "E–I index": (one != two).mean() - (one == two).mean()}
held = dict.fromkeys(truth, 0)
for seed in range(100):
    drawn = gl.FriendCounts(epsilon=1.0).randomize(school, rng=seed)
    again = gl.statistics(drawn.changed(missing=np.random.default_rng(seed).random(300) < 0.2))
    for name, value in truth.items():
        held[name] += again[name].low <= value <= again[name].high
for name, value in truth.items():
    print(
        f"{name}: true {value:.3g}, here {found[name].low:.3g} to {found[name].high:.3g}; held in {held[name]} of 100"
    )

# %% [markdown]
# ## Who is alone?
#
# Counts by group cannot tell that. A survey of noisy degrees can; it is another report, with an ε of its own. Ask for
# both at ε = ½, and the two cost 1 together.

# %%
degrees = gl.statistics(gl.NoisyDegrees(epsilon=0.5, noise="discrete").randomize(school, rng=8))
alone = degrees["share without a friend"]
print(f"{alone.low:.0%} to {alone.high:.0%}")
degrees.plot()
plt.show()

# %% [markdown]
# ## On to R
#
# `found.to_csv()` is tidy: one row for each number. `examples/survey.R` reads it.

# %%
print("\n".join(found.to_csv().splitlines()[:4]))
