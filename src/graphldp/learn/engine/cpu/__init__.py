"""One training on a CPU, by compiled passes over the rows of a batch."""

from graphldp.learn.engine.cpu.gathering import gather
from graphldp.learn.engine.cpu.network import Network
from graphldp.learn.engine.cpu.sharing import small_products

__all__ = ["Network", "gather", "small_products"]
