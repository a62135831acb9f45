from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

class KMeans:
    def __init__(self, n_clusters: int = 8, *, random_state: int | None = None, **params: Any) -> None: ...
    def fit_predict(self, X: Any) -> NDArray[np.int32]: ...

class MiniBatchKMeans:
    labels_: NDArray[np.int32]
    cluster_centers_: NDArray[np.float64]
    def __init__(self, n_clusters: int, *, random_state: int | None = None, **params: Any) -> None: ...
    def fit(self, X: Any) -> Self: ...
