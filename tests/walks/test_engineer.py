"""An engineer with a pipeline of PyTorch Geometric: the guide's lines, a network on them, and another ε by mistake."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "pyg.md"
NETWORK = """
import torch
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GIN, global_add_pool

torch.manual_seed(0)
model = GIN(in_channels=1, hidden_channels=8, num_layers=2, out_channels=2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for batch in DataLoader(dataset, batch_size=64, shuffle=True):
    optimizer.zero_grad()
    scores = global_add_pool(model(batch.noisy_degree[:, None], batch.edge_index), batch.batch)
    torch.nn.functional.cross_entropy(scores, batch.y).backward()
    optimizer.step()
print(len(dataset), float(dataset[:10].noisy_degree.sum()), "edge_attr" in dataset[0])
"""


@pytest.mark.long
def test_private_edges_in_a_pipeline(tmp_path: Path, data_root: Path) -> None:
    if not (archive := data_root / "IMDB-BINARY.zip").is_file():
        pytest.skip("needs IMDB-BINARY.zip under GRAPHLDP_DATA")
    raw = tmp_path / "data" / "IMDB-BINARY" / "raw"
    raw.mkdir(parents=True)
    with zipfile.ZipFile(archive) as files:  # where TUDataset puts what it downloads
        for name in files.namelist():
            if name.endswith(".txt"):
                (raw / Path(name).name).write_bytes(files.read(name))
    (lines, *_) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.S)

    def run(program: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-W", "ignore", "-c", program]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    first = run(lines + NETWORK)
    assert first.returncode == 0, first.stderr
    assert re.fullmatch(r"1000 \S+ False\n", first.stdout)
    assert run(lines + NETWORK).stdout == first.stdout  # what is stored is read, and nothing drawn again
    second = run(lines.replace("epsilon=1.0", "epsilon=2.0"))
    assert "its graphs were made with" in second.stderr.splitlines()[-1]
