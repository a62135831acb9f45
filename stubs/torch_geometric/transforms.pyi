from abc import ABC, abstractmethod
from typing import Any

class BaseTransform(ABC):
    def __call__(self, data: Any) -> Any: ...
    @abstractmethod
    def forward(self, data: Any) -> Any: ...
