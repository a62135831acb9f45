from typing import Any

class Event:
    data: Any

class Listener:
    def on_start(self, event: Event) -> None: ...
    def on_end(self, event: Event) -> None: ...

def register(kind: str, listener: Listener) -> None: ...
