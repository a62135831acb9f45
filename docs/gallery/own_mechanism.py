# %% [markdown]
# # Your own mechanism and its audit
#
# *How do I write a mechanism, and who notices if it is wrong?*
#
# `rates` gives two chances: that a friend is reported, and that a stranger is. `flip` is 1/(1 + e^ε), so their ratio
# here is e^ε. The contract checks shapes, seeds and budgets.

# %%
import graphldp as gl
from graphldp.audit.montecarlo import audit_mechanism


class Thinned(gl.RowMechanism):
    """Randomized response that sends a tenth of its entries."""

    def rates(self, noisy_degree, n, flip):
        return (1 - flip) / 10, flip / 10


gl.check_mechanism(Thinned(epsilon=1.0))

# %% [markdown]
# The audit draws reports of lists that differ in one friendship, and asks how well somebody could tell them apart.
# `shown` is the ε that it proved. This one reports friends twice as often, which looks harmless:


# %%
class TooKeen(Thinned):
    """Wrong: the ratio is 2·e^ε."""

    def rates(self, noisy_degree, n, flip):
        return (1 - flip) / 2, flip / 4


for mechanism in (Thinned(epsilon=1.0), TooKeen(epsilon=1.0)):
    found = audit_mechanism(mechanism, samples=50_000)
    print(f"{mechanism}: claimed {found.claimed}, shown {found.shown:.2f}, holds: {found.holds}")

# %% [markdown]
# The audit finds many mistakes, not all: [a proof](../guides/own-mechanism.md) is still yours to write.
