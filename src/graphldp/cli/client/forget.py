"""``graphldp client forget``: delete what is kept of a community."""

from __future__ import annotations

from graphldp.cli.client.options import Community, HomeOption, ServerOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp client forget cats"


def forget(community: Community, server: ServerOption = None, home: HomeOption = None) -> None:
    """Delete your list, token and report of a community. What you spent stays in the ledger."""
    from graphldp.client.protocol import Client

    Client(home).forget(community, server=server)
    console.err.print(f"Forgot {community}: list, token and report are deleted from this device.")
