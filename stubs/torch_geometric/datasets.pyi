from collections.abc import Callable

from torch_geometric.data import Data, InMemoryDataset

class TUDataset(InMemoryDataset):
    def __init__(
        self,
        root: str,
        name: str,
        *,
        transform: Callable[[Data], Data] | None = None,
        pre_transform: Callable[[Data], Data] | None = None,
        force_reload: bool = False,
        use_node_attr: bool = False,
        use_edge_attr: bool = False,
    ) -> None: ...
