"""The network's operations as CUDA kernels in Triton; :mod:`graphldp.learn.engine.layers` says what they compute.

They read the packed graphs where they lie, so a batch is a table of where its rows come from and no copy of its
entries, and they pass over memory a third as often as separate operations would. Every sum has a fixed order: the same
seed gives the same bits, which the vendor's sparse product does not promise. Products of floats use three passes of
tensor-core arithmetic, which keeps single precision; one of bfloat16 where rows are kept in half the bytes.
"""

from graphldp.learn.engine.cuda.lists import PART, DenseRows, StoreRows, hand_down, lay_out, readout
from graphldp.learn.engine.cuda.maps import BatchNorm, backward, evaluate, fits, forward, normalise

COMPILED = True
rows_of = StoreRows.rows_of

__all__ = [
    "COMPILED",
    "PART",
    "BatchNorm",
    "DenseRows",
    "backward",
    "evaluate",
    "fits",
    "forward",
    "hand_down",
    "lay_out",
    "normalise",
    "readout",
    "rows_of",
]
