"""What an install takes on the disk: each extra in a clean folder, by pip.

    python benchmarks/install.py --out benchmarks/results/install.json

The versions are those of constraints.txt. Bytes are those of the files that pip writes, before Python compiles any.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = (
    "",
    "client",
    "draw",
    "draw,plots",
    "learn",
    "learn,plots",
    "serve",
    "serve,postgres",
    "serve,oidc,otel",
    "ray",
)


def run(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "pip", "-q", *map(str, arguments)], check=True)


def megabytes(folder: Path) -> float:
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 1)


def measured(wheel: Path, extras: str) -> dict[str, object]:
    """The size of an install with these extras, and the five largest packages in it."""
    with tempfile.TemporaryDirectory() as place:
        target = Path(place)
        what = f"{wheel}[{extras}]" if extras else str(wheel)
        run("install", "--no-compile", "--target", target, "--constraint", ROOT / "constraints.txt", what)
        sizes = {each.name.removesuffix(".libs"): 0.0 for each in target.iterdir() if each.is_dir()}
        for each in target.iterdir():
            if each.is_dir() and not each.name.endswith((".dist-info", "bin")):
                sizes[each.name.removesuffix(".libs")] += megabytes(each)
        largest = sorted(sizes.items(), key=lambda one: -one[1])[:5]
        return {"extras": extras or "none", "megabytes": megabytes(target), "largest": dict(largest)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--extras", nargs="*", default=EXTRAS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        run("wheel", "--no-deps", "--wheel-dir", place, ROOT)
        (wheel,) = Path(place).glob("*.whl")
        rows = []
        for extras in given.extras:
            rows.append(measured(wheel, extras))
            print(rows[-1], flush=True)
    about = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    given.out.write_text(json.dumps({"about": about, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
