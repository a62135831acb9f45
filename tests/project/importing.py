"""A program: import the modules that it is given, or all of graphldp, and write what is missing for each that fails."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys


def main() -> None:
    import graphldp

    asked = sys.argv[1:] or [each.name for each in pkgutil.walk_packages(graphldp.__path__, "graphldp.")]
    missing = {}
    for name in asked:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            missing[name] = (error.name or "").partition(".")[0]
    print(json.dumps({"version": graphldp.__version__, "file": graphldp.__file__, "missing": missing}))


if __name__ == "__main__":
    main()
