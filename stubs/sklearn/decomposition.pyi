from typing import Any

import numpy as np
from numpy.typing import NDArray

class TruncatedSVD:
    def __init__(self, n_components: int = 2, *, n_iter: int = 5, random_state: int | None = None) -> None: ...
    def fit_transform(self, X: Any) -> NDArray[np.float64]: ...
