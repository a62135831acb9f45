"""The folder of a training run: one model per seed and one table of finished seeds, whole at every moment.

A seed that is in the table is not trained again, so a run that was interrupted goes on where it stopped, and
``--seeds`` can be raised later. The table carries the run's settings; a folder never mixes two runs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphldp.errors import FormatError, ParameterError
from graphldp.files import written_whole

FORMAT = 1


@dataclass
class RunFolder:
    """A run's folder.

    Args:
        path: the folder.
        settings: everything that decides the results, as JSON holds it.
        rows: one per finished seed, in order.
    """

    path: Path
    settings: dict[str, Any]
    rows: list[dict[str, Any]]

    @classmethod
    def open(cls, path: Path, settings: dict[str, Any]) -> RunFolder:
        """Make the folder, or go on with it where it holds the same run."""
        table = path / "results.json"
        try:
            found = json.loads(table.read_text("utf-8"))
            rows, before, version = found["results"], found["settings"], found["format"]
        except FileNotFoundError:
            path.mkdir(parents=True, exist_ok=True)
            return cls(path, settings, [])
        except (ValueError, KeyError, TypeError):
            raise FormatError(f"{table}: not a table of results, or damaged.") from None
        if version > FORMAT:
            raise FormatError(f"{table}: format {version} is newer than this graphldp reads ({FORMAT}); upgrade it.")
        if differing := sorted(k for k in settings.keys() | before.keys() if settings.get(k) != before.get(k)):
            raise ParameterError(
                f"The 'out' parameter of graphldp train must be a new folder, or one of the same run. "
                f"{path} holds results with another {', '.join(differing)}."
            )
        return cls(path, settings, [row for row in rows if (path / row["model"]).is_file()])

    @property
    def finished(self) -> set[int]:
        """The seeds that need no training."""
        return {row["seed"] for row in self.rows}

    def add(self, row: dict[str, Any]) -> None:
        """Append a finished seed; the old table stays until the new one is whole."""
        self.rows = sorted([*self.rows, row], key=lambda each: int(each["seed"]))
        content = {"format": FORMAT, "settings": self.settings, "results": self.rows}
        with written_whole(self.path / "results.json") as file:
            file.write((json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
