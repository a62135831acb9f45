from numpy import int64
from numpy.typing import ArrayLike, NDArray

def confusion_matrix(y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None) -> NDArray[int64]: ...
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    multi_class: str = "raise",
    labels: ArrayLike | None = None,
) -> float: ...
def adjusted_mutual_info_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float: ...
