"""One training on a CPU, by compiled passes over the rows of a batch."""

from graphldp.learn.engine.cpu.merging import gather_merged
from graphldp.learn.engine.cpu.scoring import score
from graphldp.learn.engine.cpu.sharing import small_products
from graphldp.learn.engine.cpu.spans import gather_in_place

__all__ = ["gather_in_place", "gather_merged", "score", "small_products"]
