# %% [markdown]
# # Node labels by groups
#
# *How do I find the class of every user without seeing who her friends are?*
#
# What users say of themselves is public, and gives a first guess. The guesses make groups, and each device reports how
# many friends it has in each. One friendship changes one count by one, so little noise hides it.

# %%
import graphldp as gl

graphs = gl.synthetic.communities(users=1200, kinds=4, seed=0)  # public words and kinds, private friends
train, validation, test = gl.split(graphs.node_labels, (0.5, 0.25, 0.25), seed=0)
view = gl.FeatureView.of(graphs, train=train, validation=validation)  # what words say: no ε
guess = view.users.classes[view.log_proba.argmax(axis=1)]
print(f"by words alone: {(guess == graphs.node_labels)[test].mean():.0%} right")

# %%
for epsilon in (0.5, 1.0, 2.0):
    recipe = gl.recommended(epsilon, task="nodes")
    reports = recipe.mechanism.randomize(graphs.with_groups(view.groups), rng=7)
    clf = recipe.classifier.fit(reports, train=train, validation=validation, view=view)
    print(f"with noisy counts, ε = {epsilon:g}: {clf.score(reports, users=test):.0%} right")

# %% [markdown]
# Which groups are good, what they reveal, and Cora: [groups](../guides/users.md).
