# %% [markdown]
# # Graphs larger than memory on Ray
#
# *How do I draw the reports of a graph that does not fit into memory?*
#
# Edges lie in Parquet files, in any order. Ray reads them a few row groups at a time, deals them out to parts of some
# users each, and draws each part's lists. Here one machine does it with a small graph; `address=` joins a cluster.

# %% tags=["remove-stderr"]
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import graphldp as gl
from graphldp.mechanisms.parquet import randomize_parquet, read_reports

graph = gl.synthetic.barabasi_albert(20_000, 5, 1, seed=0)
source = np.repeat(np.arange(graph.num_users), graph.degrees)
pq.write_table(pa.table({"source": source, "target": graph.indices}), "edges.parquet", row_group_size=50_000)
mechanism = gl.DPRR(epsilon=2.0, n_max=20_000)
randomize_parquet(Path("edges.parquet"), Path("noisy"), mechanism, seed=7, n=20_000, users_per_part=5_000)

# %% [markdown]
# A user's draw depends on the seed, her number and her list alone. So these are the bits that are drawn in memory:

# %%
reports, here = read_reports(Path("noisy")), mechanism.randomize(graph, rng=7)
print(sorted(path.name for path in Path("noisy").iterdir()))
print((reports.indices == here.indices).all(), (reports.noisy_degree == here.noisy_degree).all())

# %% [markdown]
# [Columns](../guides/columns.md#columns-of-a-graph-too-large-for-memory) of users go the same way.
