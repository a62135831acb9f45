from torch import Tensor
from torch.nn import Module

class GINConv(Module):
    def __init__(self, nn: Module) -> None: ...

def global_mean_pool(x: Tensor, batch: Tensor) -> Tensor: ...
