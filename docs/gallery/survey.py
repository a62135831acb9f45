# %% [markdown]
# # A survey
#
# *How do the years of a school mix, if no pupil may tell who her friends are?*
#
# Each device reports how many friends there are in each year, with noise. The plan says beforehand how far off the
# numbers may be.

# %%
import graphldp as gl

school = gl.synthetic.communities(users=300, kinds=3, seed=1)  # an invented school
school = school.with_groups(school.node_labels)  # the year is public
gl.plan(users=300, groups=3, epsilon=1.0)

# %%
reports = gl.FriendCounts(epsilon=1.0).randomize(school, rng=7)
found = gl.statistics(reports, groups=["year 1", "year 2", "year 3"])
figure = found.plot()

# %% [markdown]
# Each number has its 95 % interval. The *E–I index* goes from −1 (all friendships inside a year) to 1 (all between).
# [Surveys](../guides/surveys.md) has the formulas, missing users, and a way to R.

# %%
print(found["E–I index"])
print(found["friendships between", "year 1", "year 2"])
