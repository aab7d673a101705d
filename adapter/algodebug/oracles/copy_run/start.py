"""Where the process begins: makes a package of this folder under a name that no program has, and serves.

The folders of ours must not be searched for the program's modules.
"""

import importlib.util
import os
import sys

_NAME = "_algodebug_copy_run"


def main() -> None:
    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        _NAME, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    package = sys.modules[_NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    serving = importlib.import_module(f"{_NAME}.serving")
    serving.serve()


if __name__ == "__main__":
    sys.path.pop(0)
    main()
