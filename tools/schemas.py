"""Write the JSON Schema of every message to docs/schema: ``python -m tools.schemas``."""

from __future__ import annotations

import json
from pathlib import Path

from graphldp.collector.http import batch
from graphldp.wire.schema import schemas

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "schema"


def texts() -> dict[str, str]:
    """The files, by name."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        f"{name}.json": json.dumps(dialect | {"title": name} | schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in (schemas() | batch.SCHEMAS).items()
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
