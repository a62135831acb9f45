"""The README as a package index shows it: its links and pictures lead to this version's files."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class IndexPage(MetadataHookInterface):
    """What is built has no folder beside it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Give the README, which stands in a checkout as it is."""
        text = Path(self.root, "README.md").read_text("utf-8")
        files = f"{metadata['urls']['Source']}/{{}}/v{metadata['version']}/"
        text = re.sub(r"(!\[[^]]*\]\()(?!https:)", rf"\1{files.format('raw')}", text)
        text = re.sub(r"\]\((?!https:|#)", f"]({files.format('blob')}", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
