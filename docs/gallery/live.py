# %% [markdown]
# # The live system in one notebook
#
# *What does it look like when real devices report to a real server?*
#
# The collector is a process of its own, with a database. An operator opens a community of 34 and invites them.

# %%
import atexit
from pathlib import Path
from subprocess import PIPE, Popen

import networkx as nx

from graphldp.client.protocol import Client
from graphldp.wire import Invitation

club = nx.karate_club_graph()
Path("names.txt").write_text("\n".join(f"member{user}" for user in club))
# %env GRAPHLDP_DATABASE=sqlite:///live.db
# !graphldp collect community create club --roster names.txt -e 1 --purpose Trial --operator Me --contact me@club.org -y
server = Popen(["graphldp", "serve", "--port", "0"], stdout=PIPE, stderr=PIPE, text=True)
atexit.register(server.kill)
address = server.stdout.readline().split()[-1]
# !graphldp collect invite club --server {address} --out invitations

# %% [markdown]
# Each member's client joins, draws a report from the operating system's randomness, keeps it and sends it. (A real
# device waits up to a minute, so that time tells nothing: `tick=0` is for examples.)

# %%
for slot in club:
    client = Client(Path(f"device{slot}"), tick=0)
    client.join(Invitation.read(Path(f"invitations/{slot}.json").read_text()), accept=1_000_000)
    drawn = client.report("club", pick=lambda names, slot=slot: [f"member{user}" for user in club[slot]])
drawn.report  # the last one: this left the device, and nothing else

# %% [markdown]
# There are 78 friendships; one interval in twenty misses them. [The operator's first day](../guides/operator.md) does
# the same with people.

# %%
# !graphldp collect statistics club
