"""``graphldp client withdraw``: have the collector delete what you reported."""

from __future__ import annotations

from graphldp.cli.client.options import Community, HomeOption, ServerOption
from graphldp.cli.shared import console

EPILOG = "Example: graphldp client withdraw cats"
_SAID = (
    "The collector says that it has deleted your report, and your answer if you gave one. It takes no other for this "
    "epoch. What a model learned from your report before stays in the model, and your ε stays spent: what was sent was "
    "seen. 'graphldp client forget' deletes what is kept on this device."
)


def withdraw(
    community: Community, server: ServerOption = None, home: HomeOption = None, as_json: console.JsonOption = False
) -> None:
    """Have the collector delete your reports of a community, in all epochs. It remembers that your slot was used.

    Withdraw if you no longer want to take part, not because of what your report says: the community sees that you
    withdrew, and ε does not protect what that would tell. Run it again if the collector was restored from a backup
    since.
    """
    from graphldp.client.protocol import Client

    epochs = Client(home).withdraw(community, server=server)
    if as_json:
        console.show_json({"community": community, "withdrawn epochs": epochs})
    else:
        console.out.print(_SAID, markup=False, highlight=False, soft_wrap=True)
